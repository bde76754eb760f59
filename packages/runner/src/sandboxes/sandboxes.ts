import type { LeftPod } from "@liverl/contract/clean-run";
import type { SandboxHost } from "@liverl/contract/rollout";
import type { ImageWork } from "@liverl/contract/sandbox";
import type { Sandbox, SandboxSpec, StartStage } from "#sandboxes/sandbox.ts";
import type { TaskAbilities } from "#tasks/find-unsupported.ts";

/** Pods of a run that no attempt owns. Both throw `TrialError` where the cluster does not answer. */
export interface LeftSandboxes {
  list(runId: string): Promise<LeftPod[]>;
  /** Resolves with how many were removed; those of another LiveRL only with `others`. */
  remove(runId: string, options: { others: boolean }): Promise<number>;
}

/** Sandboxes of one data directory, wherever they run. What provides them may be away until the first is asked for. */
export interface Sandboxes {
  /** What tasks may ask of them. */
  readonly abilities: TaskAbilities;
  /** Throws `TrialError`; `signal` also ends what waits in the sandbox that it gives. `onStage` is told how far it has come. */
  create(
    spec: SandboxSpec,
    signal: AbortSignal,
    onStage?: (stage: StartStage) => void,
  ): Promise<Sandbox>;
  /** Images on their way to where sandboxes run, as far as that is for us to know. */
  images(): ImageWork[];
  /** Asks what provides them, now. */
  probe(): Promise<SandboxHost>;
  /** What is left of runs in a cluster; null where sandboxes are no pods. */
  readonly left: LeftSandboxes | null;
  /** Removes what attempts still own, and looks after left ones no more. */
  close(): Promise<void>;
}
