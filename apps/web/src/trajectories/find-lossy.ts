import type { LossyTurnView, TurnView } from "@liverl/contract/views";

/** A token of a turn in the client's words. */
export interface LossyToken {
  turn: LossyTurnView;
  logprob: number | null;
  isTrained: boolean;
}

/** Null for a token that the client did not write in the model's place. */
export function findLossy({ lossy }: Pick<TurnView, "lossy">, index: number): LossyToken | null {
  const turn = lossy?.find(({ from, to }) => index >= from && index < to);
  if (!turn) return null;
  const logprob = turn.logprobs?.[index - turn.from] ?? null;
  return { turn, logprob, isTrained: turn.trained && logprob !== null };
}

/** Tokens that train by their recomputed log-probs. */
export function countRecomputed({ lossy = [] }: Pick<TurnView, "lossy">): number {
  return lossy
    .filter(({ trained }) => trained)
    .reduce((sum, { logprobs }) => sum + (logprobs ?? []).filter((one) => one !== null).length, 0);
}
