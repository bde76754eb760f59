import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import {
  type LogprobSpread,
  SURPRISE_BINS,
  surpriseBin,
  type TurnOutline,
} from "@liverl/contract/turn-view";
import { callSummary, firstWords, looksFailed } from "#trajectories/describe-turn.ts";
import { countLossy, lossyTurnsOf } from "#trajectories/lossy-turns.ts";
import {
  messagesOf,
  type Node,
  nodesOf,
  type Segment,
  textOfNode,
} from "#trajectories/segment-path.ts";
import { callsOf } from "#trajectories/tool-calls.ts";

/** The nodes of one segment, in order, without their texts and tokens. Pure. */
export function outlineTurns(trajectory: ProxyTrajectory, segment: Segment): TurnOutline[] {
  const calls = new Map(trajectory.calls.map((call) => [call.id, call]));
  const trained = new Set(segment.trainedNodes);
  let turn = 0;
  let at = 0;
  return nodesOf(trajectory, segment).map((node) => {
    const isSampled = node.kind === "sampled";
    if (isSampled) turn += 1;
    const call = isSampled ? calls.get(node.callId) : undefined;
    const from = at;
    at += node.tokenIds.length;
    return {
      ...describeNode(node),
      turn: isSampled ? turn : null,
      trained: trained.has(node.id),
      at: from,
      tokens: node.tokenIds.length,
      versions: isSampled ? runsOf(node.policyVersions) : [],
      lossy: countLossy(lossyTurnsOf(node, segment)),
      startedAt: call?.startedAt ?? null,
      firstTokenAt: call?.firstTokenAt ?? null,
      endedAt: call?.endedAt ?? null,
      stopReason: call?.stopReason ?? null,
    };
  });
}

function describeNode(node: Node) {
  const text = textOfNode(node);
  const toolCallId = messagesOf(node)
    .map((message) => message.tool_call_id)
    .find((value) => typeof value === "string");
  return {
    nodeId: node.id,
    kind: node.kind,
    role: node.role,
    roles: [...new Set(messagesOf(node).map(({ role }) => role))],
    label: firstWords(text),
    characters: text.length,
    lines: text === "" ? 0 : text.split("\n").length,
    toolCalls: callsOf(node).map(({ id, name, argumentsText }) => ({
      ...{ id, name, summary: callSummary(argumentsText) },
    })),
    toolCallId: toolCallId ?? null,
    failed: node.kind === "given" && looksFailed(text),
  };
}

function runsOf(versions: readonly (number | null)[]): TurnOutline["versions"] {
  const runs: TurnOutline["versions"] = [];
  for (const version of versions) {
    const last = runs.at(-1);
    if (last && last[0] === version) last[1] += 1;
    else runs.push([version, 1]);
  }
  return runs;
}

/** How the log-probs of the segment's sampled tokens spread; null where there are none. Pure. */
export function spreadLogprobs(
  trajectory: ProxyTrajectory,
  segment: Segment,
): LogprobSpread | null {
  const bins = new Array<number>(SURPRISE_BINS).fill(0);
  let count = 0;
  let sum = 0;
  for (const node of nodesOf(trajectory, segment)) {
    if (node.kind !== "sampled") continue;
    for (const logprob of node.logprobs) {
      const bin = surpriseBin(-logprob);
      bins[bin] = (bins[bin] ?? 0) + 1;
      count += 1;
      sum += logprob;
    }
  }
  return count === 0 ? null : { count, mean: sum / count, bins };
}
