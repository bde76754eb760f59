import { type ReadToolCall, toolCallsOfMessage } from "@liverl/contract/read-message";
import { parseRepairRef } from "@liverl/contract/repair-task";
import { MOST_TURN_CHARACTERS, type ToolCallView } from "@liverl/contract/turn-view";
import { callSummary } from "#trajectories/describe-turn.ts";
import { messagesOf, type Node } from "#trajectories/segment-path.ts";

export const callsOf = (node: Node): ReadToolCall[] => messagesOf(node).flatMap(toolCallsOfMessage);

/** The calls of one node. `path` are the nodes of its segment: an edit is shown against what those before it left. */
export function viewToolCalls(
  path: readonly Node[],
  nodeId: number,
  taskId: string | null,
): ToolCallView[] {
  const patchOf = editPatches(taskId);
  for (const node of path) {
    const calls = callsOf(node).map((call) => ({
      id: call.id,
      name: call.name,
      summary: callSummary(call.argumentsText),
      argumentsText: call.argumentsText.slice(0, MOST_TURN_CHARACTERS),
      diff: patchOf(call),
    }));
    if (node.id === nodeId) return calls;
  }
  return [];
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
