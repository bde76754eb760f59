import type { CallExchange } from "@liverl/contract/proxy-admin";
import type { Call, ProxyTrajectory, SampledNode } from "@liverl/contract/trajectory";
import { readBody } from "#dialects/body/read-body.ts";
import { dialectOf } from "#dialects/dialect-of.ts";
import { headOf } from "#server/answer-head.ts";
import { type SentBody, wholeBody } from "#sessions/sent-body.ts";

/**
 * What a client sent and got in one call, from what is on disk. A streamed answer is shown whole. Null where there is no
 * such call. Log-probs that a client asked for carry ids in the place of token texts.
 */
export function callExchange(
  trajectory: Pick<ProxyTrajectory, "sessionId" | "nodes" | "calls" | "model">,
  bodyOf: (callId: number) => SentBody | null,
  callId: number,
): CallExchange | null {
  const call = trajectory.calls.find(({ id }) => id === callId);
  if (!call) return null;
  const bytes = wholeBody(callId, bodyOf);
  if (!bytes) return { request: null, response: null };
  const node = trajectory.nodes.find(({ id }) => id === call.sampledNodeId);
  const answered = call.status === "done" && node?.kind === "sampled" ? node : null;
  return {
    request: bytes.toString("utf8"),
    response: answered && responseOf(trajectory, call, answered, bytes),
  };
}

function responseOf(
  trajectory: Pick<ProxyTrajectory, "sessionId" | "nodes" | "model">,
  call: Call,
  node: SampledNode,
  bytes: Buffer,
): string {
  const dialect = dialectOf(call.dialect);
  const head = headOf(trajectory.sessionId, trajectory.model.name, call);
  const answer = dialect.parse(readBody(bytes, dialect, [])).answer(head, {
    call,
    node,
    promptIds: () => idsTo(trajectory.nodes, node.parentId),
    tokenBytes: (id) => Buffer.from(`token_id:${id}`),
  });
  return JSON.stringify(answer);
}

function idsTo(nodes: ProxyTrajectory["nodes"], nodeId: number): number[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parts: number[][] = [];
  for (let node = byId.get(nodeId); node; node = byId.get(node.parentId ?? -1))
    parts.push(node.tokenIds);
  return parts.reverse().flat();
}
