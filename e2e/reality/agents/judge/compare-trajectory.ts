import type { ProxyTrajectory, SampledNode } from "@liverl/contract/trajectory";
import type { AgentLogRecord } from "#reality/agents/engine/scripted-engine.ts";
import { TrajectoryIndex } from "#reality/agents/judge/trajectory-index.ts";

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
  const index = new TrajectoryIndex(trajectory);
  // What a stream gave before it broke is sampled again, unless somebody has seen it by then.
  const counted = records.filter(
    (record) => record.finishReason !== "broken" || index.callOf(record.requestId) !== null,
  );
  /** By call: how many of its tokens are accounted for. A resumed call has several requests. */
  const held = new Map<number, number>();
  const inexact = counted.flatMap((record) => {
    const call = index.callOf(record.requestId);
    const node = index.sampledBy(call);
    if (!call || !node) return [`${record.requestId} is in no call`];
    const from = held.get(call.id) ?? 0;
    const differs = differencesOf(record, node, from, index.promptOf(call));
    held.set(call.id, from + lengthOn(record, node, from));
    return differs.length === 0 ? [] : [`${record.requestId} differs in ${differs.join(", ")}`];
  });
  const surplus = trajectory.calls.flatMap((call) => {
    const node = index.sampledBy(call);
    return node && node.tokenIds.length !== (held.get(call.id) ?? 0)
      ? [`call ${call.id} holds tokens that the engine did not sample for it`]
      : [];
  });
  return {
    requests: counted.length,
    exact: counted.length - inexact.length,
    tokens: counted.reduce((sum, record) => sum + record.ids.length, 0),
    faults: [...inexact, ...surplus],
  };
}

/** Whether the last chunk, which tells versions, never arrived. */
const isCut = ({ disconnected, finishReason }: AgentLogRecord) =>
  disconnected || finishReason === "broken";

/** What a cut connection gave is on record up to where it was cut. */
function lengthOn(record: AgentLogRecord, node: SampledNode, from: number): number {
  const { length } = record.ids;
  return isCut(record) ? Math.min(length, node.tokenIds.length - from) : length;
}

function differencesOf(
  record: AgentLogRecord,
  node: SampledNode,
  from: number,
  promptIds: readonly number[],
): string[] {
  const end = from + lengthOn(record, node, from);
  const isVersionRight = (version: number | null, i: number) =>
    version === record.versions[i] || (isCut(record) && version === null);
  const equal = {
    prompt: same([...promptIds, ...node.tokenIds.slice(0, from)], record.promptIds),
    ids: same(node.tokenIds.slice(from, end), record.ids.slice(0, end - from)),
    "log-probs": same(node.logprobs.slice(from, end), record.logprobs.slice(0, end - from)),
    versions: node.policyVersions.slice(from, end).every(isVersionRight),
    lengths:
      node.logprobs.length === node.tokenIds.length &&
      node.policyVersions.length === node.tokenIds.length,
  };
  return Object.entries(equal).flatMap(([what, isEqual]) => (isEqual ? [] : [what]));
}

const same = (a: readonly number[], b: readonly number[]) =>
  a.length === b.length && a.every((value, i) => Object.is(value, b[i]));
