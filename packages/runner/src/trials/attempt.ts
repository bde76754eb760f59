import { join } from "node:path";
import type {
  CompletedSession,
  CompleteSession,
  OpenSessionInput,
  RegisterRun,
} from "@liverl/contract/proxy-admin";
import type {
  FlatSegment,
  IntegrityFlag,
  RolloutError,
  TrialChange,
  TrialTimings,
} from "@liverl/contract/rollout";
import type { Termination } from "@liverl/contract/trajectory";
import type { RunnerContext } from "#context.ts";
import type { Patience, ProxyLink } from "#proxy-process/proxy-link.ts";
import { takeTrajectory } from "#sessions/take-trajectory.ts";
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
  | "routingCoverage"
  | "timings"
  | "flags"
  | "endedAt"
  | "directory"
> & { status: "succeeded" | "cancelled"; segments: FlatSegment[] };

export interface FailedAttempt {
  failure: RolloutError;
  directory: string | null;
}

/** One try of a trial, whatever kind of task it has. */
export interface Attempt {
  run: RegisterRun;
  /** The proxy that the attempt's session lives in, and whether it is that of the trainer's host. */
  proxy: { link: ProxyLink; isTrainers: boolean };
  trial: Trial;
  /** Relative to the data directory. */
  directory: string;
  /** Aborted when the run is cancelled. */
  signal: AbortSignal;
  times: PhaseTimes;
}

/** Time that a session outlives its trial's deadline: outages of the proxy, a short verifier. */
const SESSION_SLACK_S = 600;
const CALLS_PER_TURN = 4;

export function sessionOf(
  ctx: Pick<RunnerContext, "config">,
  { run, trial, directory, proxy }: Attempt,
  /** How long the verifier may take. */
  { verifyS = 0 } = {},
): OpenSessionInput {
  const { request, change } = trial;
  const lifeS = run.rolloutTimeoutS + verifyS + SESSION_SLACK_S;
  return {
    sessionId: change.sessionId,
    poolId: request.runId,
    rolloutId: request.rolloutId,
    attempt: change.attempt,
    runId: request.runId,
    taskId: request.taskRef,
    groupId: request.groupId,
    step: request.step,
    mode: request.mode,
    sampling: request.sampling,
    outputs: request.outputs,
    ...(request.routedExperts && { routedExperts: true }),
    // Below the data of the proxy, whichever that is.
    directory: proxy.isTrainers ? directory : join(ctx.config.dataDir, directory),
    expiresAt: new Date(Date.now() + lifeS * 1_000).toISOString(),
    maxCalls: run.maxTurns * CALLS_PER_TURN,
  };
}

/** Freezes the session; from a proxy of another machine its files come into the trial's folder, where all others lie. */
export async function completeSession(
  ctx: Pick<RunnerContext, "config" | "log">,
  { trial, directory, proxy: { link, isTrainers } }: Attempt,
  ending: CompleteSession,
  patience?: Patience,
): Promise<CompletedSession> {
  const { sessionId } = trial.change;
  const completed = await link.completeSession(sessionId, ending, patience);
  if (isTrainers)
    await takeTrajectory({ link, log: ctx.log }, sessionId, join(ctx.config.dataDir, directory));
  return completed;
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
    routingCoverage: completed.routingCoverage,
    timings: timingsOf(times, toolS, completed),
    flags,
    endedAt: (times.endedAt ?? new Date()).toISOString(),
    directory,
    segments: completed.segments,
  };
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
