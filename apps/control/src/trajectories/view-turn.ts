import { AppError } from "@liverl/contract/app-error";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import {
  type GetTurn,
  MOST_TURN_TOKENS,
  type TokenStrip,
  type TurnView,
} from "@liverl/contract/turn-view";
import { lossyTurnsOf } from "#trajectories/lossy-turns.ts";
import type { TokenBytes } from "#trajectories/open-tokenizer.ts";
import { type Node, nodesOf, type Segment, textOfNode } from "#trajectories/segment-path.ts";
import { tokenTexts } from "#trajectories/token-texts.ts";
import { viewToolCalls } from "#trajectories/tool-calls.ts";

const CALL_BEGINS = "<tool_call>";

/** A range of one node of a segment. NOT_FOUND where the segment has no such node. Pure. */
export function viewTurn(
  { trajectory, segment }: { trajectory: ProxyTrajectory; segment: Segment },
  { nodeId, part, from, size }: Omit<GetTurn, "rolloutId" | "segmentId">,
  tokenizer: TokenBytes | null,
): TurnView {
  const path = nodesOf(trajectory, segment);
  const node = path.find(({ id }) => id === nodeId);
  if (!node)
    throw new AppError("NOT_FOUND", {
      userMessage: `Segment ${segment.id} has no node ${nodeId}.`,
    });
  const calls = viewToolCalls(path, nodeId, trajectory.taskId);
  const lossy = lossyTurnsOf(node, segment);
  const common = {
    ...{ nodeId, kind: node.kind, from },
    trained: segment.trainedNodes.includes(nodeId),
    ...(lossy.length > 0 && { lossy }),
  };
  if (part === "text") {
    const text = textOfNode(node);
    const isEnd = from + size >= text.length;
    const shown = text.slice(from, from + size);
    return { ...common, isEnd, text: shown, toolCalls: calls, tokens: stripOf(node, 0, 0, null) };
  }
  const to = Math.min(node.tokenIds.length, from + Math.min(size, MOST_TURN_TOKENS));
  const before = tokenTexts(tokenizer, node.tokenIds.slice(0, from)).join("");
  return {
    ...common,
    isEnd: to === node.tokenIds.length,
    text: "",
    toolCalls: calls.slice(before.split(CALL_BEGINS).length - 1),
    tokens: stripOf(node, from, to, tokenizer),
  };
}

function stripOf(node: Node, from: number, to: number, tokenizer: TokenBytes | null): TokenStrip {
  const ids = node.tokenIds.slice(from, to);
  return {
    ids,
    text: tokenTexts(tokenizer, ids),
    logprobs: node.kind === "sampled" ? node.logprobs.slice(from, to) : null,
    versions: node.kind === "sampled" ? node.policyVersions.slice(from, to) : null,
  };
}
