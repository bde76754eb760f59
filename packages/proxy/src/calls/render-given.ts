import type { Message } from "@liverl/contract/trajectory";
import type { Renderer } from "#renderer/renderer.ts";
import type { ToolDefinitions } from "#renderer/template-values.ts";
import type { Place, SessionTree } from "#tree/session-tree.ts";

/** Messages up to a turn that was sampled elsewhere in the session, and that turn. */
interface Stretch {
  messages: readonly Message[];
  turn: Place | null;
}

/**
 * Ids of messages that follow `held`, or that start a root. A turn of the agent that comes back on another path, as
 * after a compaction, stands there by the ids that were sampled: what a client echoes is never tokenised again.
 */
export async function renderGiven(
  renderer: Renderer,
  tree: SessionTree,
  held: Place | null,
  {
    messages,
    keys,
    tools,
  }: {
    messages: readonly Message[];
    keys: readonly string[];
    tools: ToolDefinitions | null;
  },
): Promise<readonly number[]> {
  const stretches = stretchesOf(tree, messages, keys);
  const parts: (readonly number[])[] = [];
  let before: readonly number[] | null = held?.node.tokenIds ?? null;
  for (const { messages: given, turn } of stretches) {
    parts.push(
      before === null
        ? await renderer.renderRoot(given, tools)
        : await renderer.renderSuffix(given, tools, before.at(-1) === renderer.closeId),
    );
    before = turn?.node.tokenIds ?? null;
    if (turn) parts.push(turn.node.tokenIds);
  }
  return parts.length === 1 && parts[0] ? parts[0] : parts.flat();
}

/** Cut after each turn that the session sampled; the last stretch has none, since the model is to speak after it. */
function stretchesOf(
  tree: SessionTree,
  messages: readonly Message[],
  keys: readonly string[],
): Stretch[] {
  const stretches: Stretch[] = [];
  let from = 0;
  for (const [i, message] of messages.entries()) {
    const turn =
      message.role === "assistant" && i > from ? tree.findSampled(message, keys[i] ?? "") : null;
    if (!turn || i === messages.length - 1) continue;
    stretches.push({ messages: messages.slice(from, i), turn });
    from = i + 1;
  }
  stretches.push({ messages: messages.slice(from), turn: null });
  return stretches;
}
