import { AppError } from "@liverl/contract/app-error";
import { textOfMessage } from "@liverl/contract/read-message";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import {
  type GetTurn,
  MOST_TURN_CHARACTERS,
  MOST_TURN_TOKENS,
  type TokenStrip,
  type TurnView,
} from "@liverl/contract/turn-view";
import { lossyTurnsOf } from "#trajectories/lossy-turns.ts";
import type { TokenBytes } from "#trajectories/open-tokenizer.ts";
import { templateText } from "#trajectories/role-sections.ts";
import {
  messagesOf,
  type Node,
  nodesOf,
  partsOfNode,
  type Segment,
  textOfNode,
} from "#trajectories/segment-path.ts";
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
    return {
      ...{ ...common, isEnd, text: shown, toolCalls: calls, tokens: stripOf(node, 0, 0, null) },
      ...givenParts(node, from === 0 ? tokenizer : null),
    };
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

/** Who says what of a given node, and what the chat template wrote besides: in a conversation's first node, the tools. */
function givenParts(
  node: Node,
  tokenizer: TokenBytes | null,
): Pick<TurnView, "parts" | "templateText"> {
  if (node.kind !== "given") return {};
  const parts = partsOfNode(node);
  const isFirst = node.parentId === null && tokenizer !== null;
  const written = isFirst
    ? templateText(
        tokenTexts(tokenizer, node.tokenIds),
        messagesOf(node)
          .filter(({ role }) => role === "system" || role === "developer")
          .map(textOfMessage),
      )
    : null;
  return {
    ...(parts.length > 1 && { parts }),
    ...(written !== null && { templateText: written.slice(0, MOST_TURN_CHARACTERS) }),
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
