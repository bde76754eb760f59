import type { ForkSideView, ForkView, ShownToken } from "@liverl/contract/session-view";
import { diffArrays } from "diff";

export interface DiffToken extends ShownToken {
  change: "same" | "only";
}
export interface TokenDiff {
  /** The end of what both sides share. */
  shared: ShownToken[];
  stored: { tokens: DiffToken[]; more: number } | null;
  asked: { tokens: DiffToken[]; more: number };
}

/** Both sides from the first token that differs, each token marked where the other side has not the same in its place. */
export function prepareTokenDiff(fork: ForkView): TokenDiff {
  const stored = fork.stored?.tokens ?? [];
  const changes = diffArrays(
    stored.map(({ id }) => id),
    fork.asked.tokens.map(({ id }) => id),
  );
  const sides = { stored: [] as DiffToken["change"][], asked: [] as DiffToken["change"][] };
  for (const { added, removed, value } of changes) {
    const change = added || removed ? "only" : "same";
    for (const _ of value) {
      if (!added) sides.stored.push(change);
      if (!removed) sides.asked.push(change);
    }
  }
  return {
    shared: fork.shared,
    stored: fork.stored && mark(fork.stored, sides.stored),
    asked: mark(fork.asked, sides.asked),
  };
}

function mark(side: ForkSideView, changes: readonly DiffToken["change"][]) {
  const tokens = side.tokens.map((token, i) => ({ ...token, change: changes[i] ?? "only" }));
  return { tokens, more: side.more };
}
