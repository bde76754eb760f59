import type { LossyTurnView, TurnView } from "@liverl/contract/turn-view";

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
