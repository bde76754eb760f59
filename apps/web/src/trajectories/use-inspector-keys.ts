"use client";
import { useHotkeys } from "@mantine/hooks";
import { LENSES } from "#trajectories/prepare-lens.ts";
import { type TokenRow, tokenKey } from "#trajectories/prepare-tokens.ts";
import { type Inspector, VIEWS } from "#trajectories/use-inspector.ts";

export const INSPECTOR_SHORTCUTS = [
  { keys: ["j", "k"], does: "Next turn, previous turn; of the tree: call" },
  { keys: ["⇧J", "⇧K"], does: "Next sibling, previous sibling" },
  { keys: ["1–7"], does: "Conversation, tokens, patch, verifier, terminal, tree, files" },
  { keys: ["l"], does: "Next lens" },
  { keys: ["←", "→"], does: "Token before, token after the chosen one; of the tree: fork" },
  { keys: ["␣"], does: "Of the terminal: play, pause" },
  { keys: ["/"], does: "Find in rollout" },
  { keys: ["c"], does: "Compare with the group" },
  { keys: ["t"], does: "Tags and note" },
  { keys: ["esc"], does: "Let go of the token" },
];

/** Keys of the inspector. `sampled` are the node ids of the turns, in order. */
export function useInspectorKeys(
  inspector: Inspector,
  {
    sampled,
    tokens,
    token,
    onJump,
    onSibling,
    onCompare,
  }: {
    sampled: readonly number[];
    tokens: readonly TokenRow[];
    token: TokenRow | null;
    onJump: (nodeId: number) => void;
    onSibling: (by: 1 | -1) => void;
    onCompare: () => void;
  },
): void {
  const { set, lens, turn } = inspector;
  // The tree has its own calls and forks to walk.
  const isTree = inspector.tab === "tree";
  const step = (by: 1 | -1) => {
    const at = turn === null ? -1 : sampled.indexOf(turn);
    // From a place between turns, go to the nearest one in that direction.
    const near =
      at >= 0
        ? at + by
        : turn === null
          ? 0
          : by > 0
            ? sampled.findIndex((nodeId) => nodeId > turn)
            : sampled.findLastIndex((nodeId) => nodeId < turn);
    const next = sampled[Math.max(0, Math.min(sampled.length - 1, near))];
    if (next !== undefined) onJump(next);
  };
  const move = (by: 1 | -1) => {
    if (token === null) return;
    const next = tokens[token.position + by];
    if (next) void set({ tok: tokenKey(next.nodeId, next.index) });
  };
  useHotkeys([
    ["J", () => isTree || step(1)],
    ["K", () => isTree || step(-1)],
    ["shift+J", () => onSibling(1)],
    ["shift+K", () => onSibling(-1)],
    ["L", () => void set({ lens: LENSES[(LENSES.indexOf(lens) + 1) % LENSES.length] })],
    ["C", onCompare],
    ["ArrowRight", () => isTree || move(1)],
    ["ArrowLeft", () => isTree || move(-1)],
    ["Escape", () => void set({ tok: null })],
    ...VIEWS.map(
      (view, at) => [String(at + 1), () => void set({ tab: view })] as [string, () => void],
    ),
  ]);
}
