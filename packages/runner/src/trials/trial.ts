import type {
  RolloutRequest,
  RolloutResult,
  SandboxPhase,
  TrainerProxy,
  TrialChange,
} from "@liverl/contract/rollout";
import type { SandboxState } from "@liverl/contract/sandbox";
import type { LiveOutput } from "#recordings/live-output.ts";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import type { AttemptShells } from "#shells/attempt-shells.ts";

/** What an attempt does in its sandbox, and since when. */
export interface InSandbox {
  phase: SandboxPhase;
  /** The task's step that it is at; null where the task has none, and before and after. */
  step: string | null;
  state: SandboxState;
  since: Date;
  deadline: Date | null;
  /** Null until there is one. */
  sandbox: Pick<Sandbox, "name" | "facts"> | null;
  agent: string;
  /** Name of the joined runner that has it; null: this one. */
  runner: string | null;
  shells: AttemptShells;
  /** The agent's own log; null where it has none, or it has ended. */
  output: LiveOutput | null;
}

/** A rollout as the runner knows it: what was asked, and its newest change. */
export interface Trial {
  readonly request: RolloutRequest;
  /** Where its sessions are opened when it is not the runner's own; after a restart unknown until it is asked for again. */
  proxy: TrainerProxy | null;
  /** Replaced by `moveTrial` alone. */
  change: TrialChange;
  /** While an attempt runs: aborted to cancel it. */
  controller: AbortController | null;
  /** While an attempt has a sandbox or waits for it: what it does there, and since when. */
  inSandbox: InSandbox | null;
  /** What an attempt without a sandbox of its own does, and since when. */
  atWork: { phase: SandboxPhase; since: Date } | null;
  /** Attempts that infrastructure failed in this life of the runner. */
  infraFailures: number;
  /** Attempts that ended with a life of the runner, which did not mean to end. */
  runnerDeaths: number;
  /** The answer with its segments, while someone is likely to ask; later it is read from the trial's folder. */
  result: RolloutResult | null;
  /** Called on every change. */
  readonly watchers: Set<() => void>;
}

export function newTrial(
  request: RolloutRequest,
  change: TrialChange,
  proxy: TrainerProxy | null = null,
): Trial {
  return {
    ...{ request, proxy, change },
    ...{ controller: null, inSandbox: null, atWork: null, infraFailures: 0, runnerDeaths: 0 },
    ...{ result: null, watchers: new Set() },
  };
}

export const sessionIdOf = (rolloutId: string, attempt: number) => `${rolloutId}-a${attempt}`;

export function isFinished(trial: Trial): boolean {
  const { status } = trial.change;
  return status === "succeeded" || status === "failed" || status === "cancelled";
}
