import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import type { AgentLogRecord } from "#reality/agents/engine/scripted-engine.ts";

/** Tokens of finished main-line requests that no trainable segment trains. */
export function countUntrained(
  records: readonly AgentLogRecord[],
  trajectory: ProxyTrajectory,
): number {
  const trained = new Set(
    trajectory.segments.filter(({ trainable }) => trainable).flatMap((one) => one.trainedNodes),
  );
  const nodeOf = new Map(
    trajectory.calls.flatMap((call) => call.requestIds.map((id) => [id, call.sampledNodeId])),
  );
  return records
    .filter(
      ({ role, disconnected, finishReason }) =>
        role === "main" && !disconnected && finishReason !== "broken",
    )
    .filter(({ requestId }) => !trained.has(nodeOf.get(requestId) ?? -1))
    .reduce((sum, { ids }) => sum + ids.length, 0);
}
