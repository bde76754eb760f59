import type { RunDiagnosis } from "@liverl/contract/run";
import type { TrainerResult } from "@liverl/contract/trainer";

/** Where a run goes at its end, and why. */
export interface Ending {
  to: "succeeded" | "stopped" | "failed" | "cancelled";
  reason: string;
  heldOutReward?: number | null;
  diagnosis?: RunDiagnosis | null;
}

/** What a result comes to: a run succeeded only when the planned steps are there, or its own rule ended it. Pure. */
export function endingOf({
  outcome,
  stoppedBy,
  steps,
  plannedSteps,
  heldOutReward,
}: TrainerResult): Ending {
  if (outcome === "stopped" && steps === 0)
    return { to: "cancelled", reason: "stopped before the first step", heldOutReward };
  if (outcome === "stopped")
    return { to: "stopped", reason: `stopped after step ${steps}`, heldOutReward };
  if (stoppedBy === "plan" && steps < plannedSteps) {
    return {
      to: "failed",
      reason: `the trainer ended after ${steps} of ${plannedSteps} steps`,
      heldOutReward,
    };
  }
  const held = heldOutReward === null ? "" : `; final held-out reward ${heldOutReward.toFixed(3)}`;
  const how =
    stoppedBy === "plan"
      ? `all ${plannedSteps} steps done`
      : `in-run evaluation met the plan's goal at step ${steps}`;
  return { to: "succeeded", reason: `${how}${held}`, heldOutReward };
}
