import type { ClusterView, EngineView } from "@liverl/contract/cluster";

/** Whether an engine is away because its run ended: no fault, and none of those that serve. Pure. */
export function isGoneEngine(
  { state, poolId }: Pick<EngineView, "state" | "poolId">,
  runs: readonly Pick<ClusterView["runs"][number], "id" | "hasEnded">[],
): boolean {
  return state === "away" && runs.some(({ id, hasEnded }) => id === poolId && hasEnded);
}
