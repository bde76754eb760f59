import type { GivenNode, ProxyTrajectory } from "@liverl/contract/trajectory";
import { idsUpTo, type SampledCall } from "#audit/check-call.ts";
import type { EngineLogIndex } from "#audit/engine-log-index.ts";
import type { AuditTally } from "#audit/report.ts";

/**
 * Turns in a client's words that train are no call's output: an engine scored them as a part of a prompt. Holds each
 * node of them against the engine's record of that request, and gives what their log-probs are to be recomputed from.
 */
export async function checkRecomputed(
  trajectory: ProxyTrajectory,
  index: EngineLogIndex,
  tally: AuditTally,
): Promise<SampledCall[]> {
  const turns: SampledCall[] = [];
  const claimed = new Map<string, Awaited<ReturnType<EngineLogIndex["claim"]>>>();
  for (const node of trajectory.nodes) {
    if (node.kind !== "given" || !node.recomputed) continue;
    const { requestId } = node.recomputed;
    const found = claimed.get(requestId) ?? (await index.claim(requestId));
    claimed.set(requestId, found);
    const callId = `${trajectory.sessionId}/node-${node.id}`;
    const path = idsUpTo(trajectory, node.id);
    const why = path ? faultOf(node, path, found?.record ?? null) : "its path is missing";
    if (why !== null) tally.fault({ callId, kind: "recomputed-turns", detail: why });
    if (path) turns.push(...turnsOf(node, path, callId));
  }
  for (const { ids } of turns) tally.recomputedTokens += ids.length;
  return turns;
}

function faultOf(
  { recomputed }: GivenNode,
  path: readonly number[],
  record: { promptIds: readonly number[]; versions: readonly number[] } | null,
): string | null {
  if (!record) return `${recomputed?.requestId} is not in the engine's log, or unreadable`;
  const differs = path.findIndex((id, i) => id !== record.promptIds[i]);
  if (differs >= 0) return `the prompt that was scored differs at token ${differs}`;
  const version = recomputed?.version ?? null;
  if (version !== null && record.versions.some((other) => other !== version))
    return `version ${version} is not the one that scored it`;
  return null;
}

/** Each turn as if it had been sampled; one without its version or a log-prob can not be compared. */
function turnsOf(
  { recomputed, lossyTurns = [], tokenIds }: GivenNode,
  path: readonly number[],
  callId: string,
): SampledCall[] {
  const start = path.length - tokenIds.length;
  const version = recomputed?.version ?? null;
  let next = 0;
  return lossyTurns.flatMap((turn): SampledCall[] => {
    if (!turn || !recomputed || version === null) return [];
    const [from, to] = turn;
    const logprobs = recomputed.logprobs.slice(next, next + to - from);
    next += to - from;
    const known = logprobs.filter((logprob) => logprob !== null);
    if (known.length < to - from) return [];
    const ids = tokenIds.slice(from, to);
    return [
      {
        ...{ callId, ids, logprobs: known, versions: ids.map(() => version) },
        ...{ promptIds: path.slice(0, start + from), temperature: recomputed.temperature },
      },
    ];
  });
}
