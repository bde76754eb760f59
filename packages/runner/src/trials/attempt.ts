import type { CompletedSession, RegisterRun } from "@liverl/contract/proxy-admin";
import type {
  FlatSegment,
  IntegrityFlag,
  RolloutError,
  TrialChange,
  TrialTimings,
} from "@liverl/contract/rollout";
import type { Termination } from "@liverl/contract/trajectory";
import type { AttemptSession } from "#trials/attempt-session.ts";
import type { Trial } from "#trials/trial.ts";
import type { PhaseTimes } from "#trials/write-harbor-files.ts";

/** What a finished attempt changes of its trial. */
export type AttemptOutcome = Pick<
  TrialChange,
  | "reward"
  | "termination"
  | "turns"
  | "tokensSampled"
  | "tokensTotal"
  | "versionSpan"
  | "truncated"
  | "keptSegments"
  | "untrained"
  | "routingCoverage"
  | "timings"
  | "flags"
  | "endedAt"
  | "directory"
> & { status: "succeeded" | "cancelled"; segments: FlatSegment[] };

/** What was sampled before an attempt failed: it trains nothing, and is there to be read. */
type Sampled = Pick<
  TrialChange,
  "turns" | "tokensSampled" | "tokensTotal" | "versionSpan" | "truncated" | "untrained"
>;

export interface FailedAttempt {
  failure: RolloutError;
  directory: string | null;
  /** Left out: nothing is known of it. */
  sampled?: Sampled;
  /** Left out: none. */
  flags?: IntegrityFlag[];
  /** It says nothing of the trial, and is no reason to give it up. */
  isForgiven?: true;
}

/** One try of a trial, whatever kind of task it has. */
export interface Attempt {
  run: RegisterRun;
  session: AttemptSession;
  trial: Trial;
  /** Relative to the data directory. */
  directory: string;
  /** Aborted when the run is cancelled. */
  signal: AbortSignal;
  times: PhaseTimes;
  /** Says that it runs, durably, once its folder is there. */
  begin(started: { directory?: string }): Promise<void>;
}

/** An attempt that came to its end: `times.endedAt` is set. */
export function outcomeOf(
  { times, directory }: Attempt,
  completed: CompletedSession,
  ended: { reward: number | null; termination: Termination; turns: number; toolS: number },
  flags: IntegrityFlag[] = [],
): AttemptOutcome {
  const { reward, termination, turns, toolS } = ended;
  return {
    status: termination === "cancelled" ? "cancelled" : "succeeded",
    reward,
    termination,
    turns,
    tokensSampled: completed.tokensSampled,
    tokensTotal: completed.tokensTotal,
    versionSpan: completed.versionSpan,
    truncated: completed.truncated,
    keptSegments: completed.keptSegments,
    untrained: completed.untrained,
    routingCoverage: completed.routingCoverage,
    timings: timingsOf(times, toolS, completed),
    flags,
    endedAt: (times.endedAt ?? new Date()).toISOString(),
    directory,
    segments: completed.segments,
  };
}

/** Left out of what is known where the session could not be frozen. */
export function sampledBefore(
  completed: CompletedSession | null,
  turns: number,
): Pick<FailedAttempt, "sampled"> {
  if (completed === null) return {};
  const { tokensSampled, tokensTotal, versionSpan, truncated, untrained } = completed;
  return { sampled: { turns, tokensSampled, tokensTotal, versionSpan, truncated, untrained } };
}

/** Harbor records a time-out of the agent beside the reward: the verifier runs all the same. */
export const agentTimeout = (seconds: number): RolloutError => ({
  exception_type: "AgentTimeoutError",
  exception_message: `Agent execution timed out after ${seconds} seconds`,
  occurred_at: new Date().toISOString(),
});

function timingsOf(times: PhaseTimes, toolS: number, completed: CompletedSession): TrialTimings {
  const seconds = (from: Date, to: Date | undefined) =>
    to ? Math.max(0, to.getTime() - from.getTime()) / 1_000 : 0;
  const { queuedAt, startedAt, agentStartedAt = startedAt, agentEndedAt = agentStartedAt } = times;
  return {
    queueS: seconds(queuedAt, startedAt),
    setupS: seconds(startedAt, agentStartedAt),
    agentS: seconds(agentStartedAt, agentEndedAt),
    generateS: completed.generateS,
    toolS,
    verifyS: seconds(agentEndedAt, times.verifierEndedAt),
  };
}
