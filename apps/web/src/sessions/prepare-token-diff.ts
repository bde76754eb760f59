import type { ForkSideView, ForkView, ShownToken } from "@liverl/contract/session-view";

export interface DiffToken extends ShownToken {
  /** Whether the other side has another id, or none, at this position. */
  differs: boolean;
}
export interface DiffSide {
  tokens: DiffToken[];
  /** How many follow. */
  more: number;
}

/** Both sides from the first token that differs on. Place counts: an id that the other side has elsewhere differs, too. */
export function prepareTokenDiff(fork: ForkView): { stored: DiffSide | null; asked: DiffSide } {
  return {
    stored: fork.stored && sideOf(fork.stored, fork.asked),
    asked: sideOf(fork.asked, fork.stored),
  };
}

function sideOf({ tokens, more }: ForkSideView, other: ForkSideView | null): DiffSide {
  return {
    tokens: tokens.map((token, i) => ({ ...token, differs: token.id !== other?.tokens[i]?.id })),
    more,
  };
}
