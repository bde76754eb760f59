import type { Call, ProxyTrajectory } from "@liverl/contract/trajectory";
import type { AgentLogRecord } from "#reality/agents/engine/scripted-engine.ts";

const same = <T>(a: readonly T[], b: readonly T[]) =>
  a.length === b.length && a.every((value, i) => Object.is(value, b[i]));

export interface Comparison {
  /** Engine requests that gave tokens, and those of which every id, log-prob and version is on record. */
  requests: number;
  exact: number;
  tokens: number;
  faults: string[];
}

/** Holds the engine's log against `proxy_trajectory.json`: prompts, ids, log-probs and versions, each equal. */
export function compareTrajectory(
  records: readonly AgentLogRecord[],
  trajectory: ProxyTrajectory,
): Comparison {
  const nodes = new Map(trajectory.nodes.map((node) => [node.id, node]));
  const callOf = new Map(
    trajectory.calls.flatMap((call) => call.requestIds.map((id) => [id, call] as const)),
  );
  const promptOf = (call: Call): number[] => {
    const ids: number[][] = [];
    let at = call.promptNodeId;
    while (at !== null) {
      const node = nodes.get(at);
      if (!node) throw new Error(`call ${call.id} has no node ${at}`);
      ids.push(node.tokenIds);
      at = node.parentId;
    }
    return ids.reverse().flat();
  };
  const counted = records.filter((record) => record.finishReason !== "broken");
  const taken = new Map<number, number>();
  const faults: string[] = [];
  for (const record of counted) {
    const call = callOf.get(record.requestId);
    const node = call?.sampledNodeId == null ? undefined : nodes.get(call.sampledNodeId);
    if (!call || node?.kind !== "sampled") {
      faults.push(`${record.requestId} is in no call`);
      continue;
    }
    const from = taken.get(call.id) ?? 0;
    // What a client left behind may be on record up to where its connection was cut.
    const length = record.disconnected
      ? Math.min(record.ids.length, node.tokenIds.length - from)
      : record.ids.length;
    taken.set(call.id, from + length);
    const differs = [
      same([...promptOf(call), ...node.tokenIds.slice(0, from)], record.promptIds) || "prompt",
      same(node.tokenIds.slice(from, from + length), record.ids.slice(0, length)) || "ids",
      same(node.logprobs.slice(from, from + length), record.logprobs.slice(0, length)) ||
        "log-probs",
      isVersionRight(node.policyVersions.slice(from, from + length), record) || "versions",
    ].filter((what) => what !== true);
    if (differs.length > 0) faults.push(`${record.requestId} differs in ${differs.join(", ")}`);
  }
  for (const call of trajectory.calls) {
    const node = call.sampledNodeId === null ? undefined : nodes.get(call.sampledNodeId);
    if (node && node.tokenIds.length !== (taken.get(call.id) ?? 0))
      faults.push(`call ${call.id} holds tokens that the engine did not sample`);
  }
  return {
    requests: counted.length,
    exact: Math.max(0, counted.length - faults.length),
    tokens: counted.reduce((sum, record) => sum + record.ids.length, 0),
    faults,
  };
}

/** Equal; unknown is allowed only where the engine had no chance to tell them. */
function isVersionRight(found: readonly (number | null)[], record: AgentLogRecord): boolean {
  return found.every(
    (version, i) => version === record.versions[i] || (record.disconnected && version === null),
  );
}
