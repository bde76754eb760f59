import type { LossyTurnView } from "@liverl/contract/turn-view";
import type { Node, Segment } from "#trajectories/segment-path.ts";

/** Turns that stand in a node by the client's text. Their log-probs stand one behind the other, turn by turn. */
export function lossyTurnsOf(node: Node, { recomputed = [] }: Segment): LossyTurnView[] {
  if (node.kind !== "given") return [];
  const scores = node.recomputed ?? null;
  let next = 0;
  return (node.lossyTurns ?? []).flatMap((turn): LossyTurnView[] => {
    if (!turn) return [];
    const [from, to] = turn;
    const logprobs = scores?.logprobs.slice(next, next + to - from) ?? null;
    next += to - from;
    const trained = recomputed.some(([nodeId, start]) => nodeId === node.id && start === from);
    return [{ from, to, trained, logprobs, version: scores?.version ?? null }];
  });
}

/** Tokens in the model's place, and those that train by their recomputed log-probs; null where there are none. */
export function countLossy(
  turns: readonly LossyTurnView[],
): { tokens: number; trained: number } | null {
  if (turns.length === 0) return null;
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  return {
    tokens: sum(turns.map(({ from, to }) => to - from)),
    trained: sum(
      turns
        .filter(({ trained }) => trained)
        .map(({ logprobs }) => (logprobs ?? []).filter((one) => one !== null).length),
    ),
  };
}
