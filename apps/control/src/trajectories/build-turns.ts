import {
  type ReadToolCall,
  textOfMessage,
  toolCallsOfMessage,
} from "@liverl/contract/read-message";
import { parseRepairRef } from "@liverl/contract/repair-task";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import type { LossyTurnView, TurnView } from "@liverl/contract/views";
import type { TokenBytes } from "#trajectories/open-tokenizer.ts";
import { tokenTexts } from "#trajectories/token-texts.ts";

type Node = ProxyTrajectory["nodes"][number];
type Segment = ProxyTrajectory["segments"][number];

/** The nodes of one segment, in order, as the inspector shows them. Pure. */
export function buildTurns(
  trajectory: ProxyTrajectory,
  segment: Segment,
  tokenizer: TokenBytes | null,
): TurnView[] {
  const nodes = new Map(trajectory.nodes.map((node) => [node.id, node]));
  const calls = new Map(trajectory.calls.map((call) => [call.id, call]));
  const trained = new Set(segment.trainedNodes);
  const patchOf = editPatches(trajectory.taskId);
  let turn = 0;
  return segment.path.flatMap((id): TurnView[] => {
    const node = nodes.get(id);
    if (!node) return [];
    const sampled = node.kind === "sampled";
    if (sampled) turn += 1;
    const messages = Array.isArray(node.message) ? node.message : [node.message];
    const call = sampled ? calls.get(node.callId) : undefined;
    const toolCallId = messages
      .map((message) => message.tool_call_id)
      .find((value) => typeof value === "string");
    return [
      {
        nodeId: node.id,
        kind: node.kind,
        role: node.role,
        turn: sampled ? turn : null,
        text: messages
          .map(textOfMessage)
          .filter((text) => text !== "")
          .join("\n\n"),
        toolCalls: messages.flatMap(toolCallsOfMessage).map((tool) => ({
          id: tool.id,
          name: tool.name,
          argumentsText: tool.argumentsText,
          diff: patchOf(tool),
        })),
        toolCallId: toolCallId ?? null,
        trained: trained.has(node.id),
        tokens: stripOf(node, tokenizer),
        ...lossyOf(node, segment),
        startedAt: call?.startedAt ?? null,
        firstTokenAt: call?.firstTokenAt ?? null,
        endedAt: call?.endedAt ?? null,
        stopReason: call?.stopReason ?? null,
      },
    ];
  });
}

function stripOf(node: Node, tokenizer: TokenBytes | null): TurnView["tokens"] {
  return {
    ids: node.tokenIds,
    text: tokenTexts(tokenizer, node.tokenIds),
    logprobs: node.kind === "sampled" ? node.logprobs : null,
    versions: node.kind === "sampled" ? node.policyVersions : null,
  };
}

/** Log-probs of a node stand one behind the other, turn by turn. */
function lossyOf(node: Node, { recomputed = [] }: Segment): Pick<TurnView, "lossy"> {
  if (node.kind !== "given") return {};
  const scores = node.recomputed ?? null;
  let next = 0;
  const lossy = (node.lossyTurns ?? []).flatMap((turn): LossyTurnView[] => {
    if (!turn) return [];
    const [from, to] = turn;
    const logprobs = scores?.logprobs.slice(next, next + to - from) ?? null;
    next += to - from;
    const trained = recomputed.some(([nodeId, start]) => nodeId === node.id && start === from);
    return [{ from, to, trained, logprobs, version: scores?.version ?? null }];
  });
  return lossy.length > 0 ? { lossy } : {};
}

/** Turns the edits of a repair task into patches, each against the file as the edits before it left it. */
function editPatches(
  taskId: string | null,
): (call: ReadToolCall) => { path: string; patch: string } | null {
  const task = taskId === null ? null : parseRepairRef(taskId);
  if (!task) return () => null;
  const lines = [...task.lines];
  return ({ name, arguments: given }) => {
    const { line, code } = given;
    if (name !== "edit" || typeof line !== "number" || typeof code !== "string") return null;
    const before = lines[line - 1];
    if (before === undefined) return null;
    // The tool keeps the indentation of the line that it replaces.
    const after = `${/^\s*/.exec(before)?.[0] ?? ""}${code.trimStart()}`;
    lines[line - 1] = after;
    return {
      path: task.path,
      patch: `--- a/${task.path}\n+++ b/${task.path}\n@@ -${line} +${line} @@\n-${before}\n+${after}\n`,
    };
  };
}
