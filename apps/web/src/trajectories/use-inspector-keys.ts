"use client";
import type { TurnOutline } from "@liverl/contract/turn-view";
import { LENSES } from "#trajectories/prepare-lens.ts";
import { positionOf, tokenAt, tokenKey } from "#trajectories/prepare-tokens.ts";
import { type Inspector, VIEWS } from "#trajectories/use-inspector.ts";
import { usePageKeys } from "#ui/use-page-keys.ts";

export const INSPECTOR_SHORTCUTS = [
  { keys: ["j", "k"], does: "Next turn, previous turn; of tree and raw: call" },
  { keys: ["⇧J", "⇧K"], does: "Next sibling, previous sibling" },
  { keys: ["1–8"], does: "Conversation, tokens, patch, verifier, terminal, tree, raw, files" },
  { keys: ["l"], does: "Next lens" },
  { keys: ["←", "→"], does: "Choose a token, then the one before or after; of the tree: fork" },
  { keys: ["␣"], does: "Of the terminal: play, pause" },
  { keys: ["/"], does: "Find in rollout" },
  { keys: ["⏎", "⇧⏎"], does: "Of what is sought: next turn, previous turn" },
  { keys: ["c"], does: "Compare with the group" },
  { keys: ["s"], does: "Sample the turn again" },
  { keys: ["t"], does: "Tags and note" },
  { keys: ["esc"], does: "Let go of the token" },
];

/** Keys of the inspector. */
export function useInspectorKeys(
  inspector: Inspector,
  {
    turns,
    onJump,
    onSibling,
    onCompare,
    onAgain,
  }: {
    turns: readonly TurnOutline[];
    onJump: (nodeId: number) => void;
    onSibling: (by: 1 | -1) => void;
    onCompare: () => void;
    onAgain: () => void;
  },
): void {
  const { set, lens, turn } = inspector;
  // The tree has its own calls and forks to walk, the raw view its calls.
  const isTree = inspector.tab === "tree";
  const hasCalls = isTree || inspector.tab === "raw";
  const sampled = turns.filter(({ kind }) => kind === "sampled").map(({ nodeId }) => nodeId);
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
    if (inspector.tab !== "conversation" && inspector.tab !== "tokens") return;
    // With none chosen, the first one of the turn that one is at, else of the first turn that was sampled.
    const from = turn ?? sampled[0];
    const first = from === undefined ? null : tokenKey(from, 0);
    // Of the address, not of the facts that are read for it: those come later than a second press.
    const position = positionOf(turns, inspector.tok);
    const next = position === null ? null : tokenAt(turns, position + by);
    const tok = next ? tokenKey(next.turn.nodeId, next.index) : position === null ? first : null;
    if (tok !== null) void set({ tok });
  };
  usePageKeys([
    ["J", () => hasCalls || step(1)],
    ["K", () => hasCalls || step(-1)],
    ["shift+J", () => onSibling(1)],
    ["shift+K", () => onSibling(-1)],
    ["L", () => void set({ lens: LENSES[(LENSES.indexOf(lens) + 1) % LENSES.length] })],
    ["C", onCompare],
    ["S", onAgain],
    ["ArrowRight", () => isTree || move(1)],
    ["ArrowLeft", () => isTree || move(-1)],
    ["Escape", () => void set({ tok: null })],
    ...VIEWS.map(
      (view, at) =>
        [String(at + 1), () => void set({ tab: view }, { history: "push" })] as [
          string,
          () => void,
        ],
    ),
  ]);
}
