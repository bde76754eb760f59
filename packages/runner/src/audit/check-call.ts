import type { EngineLogRecord } from "@liverl/contract/engine-api";
import type { Call, ProxyTrajectory, SampledNode } from "@liverl/contract/trajectory";
import type { EngineLogIndex } from "#audit/engine-log-index.ts";
import type { AuditTally, Violation } from "#audit/report.ts";

/** What the recomputation of one call's log-probs needs. */
export interface SampledCall {
  callId: string;
  promptIds: number[];
  ids: number[];
  logprobs: number[];
  versions: number[];
  temperature: number;
}

/** Holds one finished call against the engine's own log; null when there is nothing left to recompute. */
export async function checkCall(
  trajectory: ProxyTrajectory,
  call: Call,
  index: EngineLogIndex,
  tally: AuditTally,
): Promise<SampledCall | null> {
  const callId = `${trajectory.sessionId}#${call.id}`;
  const fault = (kind: Violation["kind"], detail: string) => tally.fault({ callId, kind, detail });
  const node = trajectory.nodes.find(({ id }) => id === call.sampledNodeId);
  const promptIds = node ? idsUpTo(trajectory, node.parentId) : null;
  if (node?.kind !== "sampled" || promptIds === null) {
    fault("unreadable", "the call's node or its path is missing");
    return null;
  }
  tally.tokens += node.tokenIds.length;
  const records = await claimRecords(call, index, fault);
  if (records) compare(call, node, promptIds, records, fault);
  const versions = node.policyVersions.filter((version) => version !== null);
  if (versions.length !== node.tokenIds.length || node.logprobs.length !== node.tokenIds.length) {
    fault("versions", "a token has no version or no log-prob");
    return null;
  }
  const [first, last] = node.versionSpan ?? [];
  if (first !== Math.min(...versions) || last !== Math.max(...versions))
    fault("versions", `the span ${first}…${last} is not that of the tokens' versions`);
  const { temperature } = call.sampling;
  return {
    callId,
    promptIds,
    ids: node.tokenIds,
    logprobs: node.logprobs,
    versions,
    // A greedy choice has no distribution of its own: engines score it at temperature 1.
    temperature: typeof temperature === "number" && temperature > 0 ? temperature : 1,
  };
}

/** Token ids from the root to a node, in order; null where a parent is missing or a circle. */
export function idsUpTo(trajectory: ProxyTrajectory, nodeId: number | null): number[] | null {
  const byId = new Map(trajectory.nodes.map((node) => [node.id, node]));
  const parts: number[][] = [];
  for (let id = nodeId; id !== null; ) {
    const node = byId.get(id);
    if (!node || parts.length > trajectory.nodes.length) return null;
    parts.push(node.tokenIds);
    id = node.parentId;
  }
  return parts.reverse().flat();
}

async function claimRecords(
  call: Call,
  index: EngineLogIndex,
  fault: (kind: Violation["kind"], detail: string) => void,
): Promise<EngineLogRecord[] | null> {
  const records: EngineLogRecord[] = [];
  if (call.requestIds.length === 0) {
    fault("missing-record", "the call names no request of the engine");
    return null;
  }
  for (const requestId of call.requestIds) {
    const found = await index.claim(requestId);
    if (!found?.record) {
      fault(
        "missing-record",
        `${requestId} is ${found ? "unreadable" : "not"} in the engine's log`,
      );
      return null;
    }
    if (found.count > 1)
      fault("repeated-record", `${requestId} stands ${found.count} times in the engine's log`);
    if (found.earlierClaims > 0)
      fault("claimed-twice", `${requestId} belongs to another call, too`);
    records.push(found.record);
  }
  return records;
}

/** A call that was resumed has several records: each continues with what the earlier ones sampled. */
function compare(
  call: Call,
  node: SampledNode,
  promptIds: readonly number[],
  records: readonly EngineLogRecord[],
  fault: (kind: Violation["kind"], detail: string) => void,
): void {
  let at = 0;
  for (const record of records) {
    const expected = [...promptIds, ...node.tokenIds.slice(0, at)];
    const promptDifference = firstDifference(record.promptIds, expected);
    if (promptDifference !== null)
      fault("prompt-ids", `prompt differs at token ${promptDifference}`);
    const end = Math.min(at + record.ids.length, node.tokenIds.length);
    const difference = firstDifference(record.ids.slice(0, end - at), node.tokenIds.slice(at, end));
    if (difference !== null) fault("sampled-ids", `token ${at + difference} differs`);
    const version = firstDifference(
      record.versions.slice(0, end - at),
      node.policyVersions.slice(at, end),
    );
    if (version !== null) fault("versions", `version of token ${at + version} differs`);
    const logprob = firstDifference(
      record.logprobs.slice(0, end - at),
      node.logprobs.slice(at, end),
    );
    if (logprob !== null) fault("logprobs", `log-prob of token ${at + logprob} differs`);
    at += record.ids.length;
  }
  if (at !== node.tokenIds.length && !isCut(call, node, records, at))
    fault("sampled-ids", `${node.tokenIds.length} tokens are recorded, the engine sampled ${at}`);
}

/**
 * Whether the proxy ended the turn at a stop string: the last record then goes on for what the engine sampled until it
 * heard of that. It was aborted, or came to an end of its own first.
 */
function isCut(
  { requested, stopReason }: Call,
  node: SampledNode,
  records: readonly EngineLogRecord[],
  sampled: number,
): boolean {
  const last = records.at(-1);
  const goesOn =
    last !== undefined &&
    sampled > node.tokenIds.length &&
    sampled - last.ids.length < node.tokenIds.length;
  const mayBeCut = last?.finishReason === "abort" || requested.stop !== undefined;
  return goesOn && mayBeCut && stopReason !== "length";
}

function firstDifference(
  a: readonly (number | null)[],
  b: readonly (number | null)[],
): number | null {
  const length = Math.max(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return i;
  return null;
}
