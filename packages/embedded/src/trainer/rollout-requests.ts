import type { EmbeddedSpec } from "@liverl/contract/launch";
import type { RolloutRequest } from "@liverl/contract/rollout";

/** The rollouts of one task. Ids come from the group's and the index, so a repeat is the same rollout. */
export function groupRequests(
  spec: EmbeddedSpec,
  { runId, groupId, taskRef, step }: Pick<RolloutRequest, "runId" | "groupId" | "taskRef" | "step">,
): RolloutRequest[] {
  const sampling = { temperature: spec.rollout.temperature, max_tokens: spec.rollout.max_tokens };
  return Array.from({ length: spec.batch.n }, (_, i) => ({
    rolloutId: `${groupId}.r${i}`,
    runId,
    groupId,
    taskRef,
    mode: "train",
    step,
    sampling,
    outputs: "all",
    routedExperts: false,
  }));
}
