import type { LossyCount } from "@liverl/contract/session-view";
import type { GivenNode, SampledNode } from "@liverl/contract/trajectory";

type Node = GivenNode | SampledNode;
type Span = [from: number, to: number];

/** Of a node's lossy turns those whose tokens are known. */
export function lossySpans(node: Node): Span[] {
  const turns = node.kind === "given" ? (node.lossyTurns ?? []) : [];
  return turns.filter((turn) => turn !== null);
}

/** Recomputed log-probs by the tokens' place in the node; null where the engine gave none. */
export function recomputedScores(node: Node): ReadonlyMap<number, number | null> {
  const scores = new Map<number, number | null>();
  const logprobs = node.kind === "given" ? node.recomputed?.logprobs : undefined;
  if (!logprobs) return scores;
  let next = 0;
  for (const [from, to] of lossySpans(node))
    for (let at = from; at < to; at++) scores.set(at, logprobs[next++] ?? null);
  return scores;
}

/** Null where no turn stands in these nodes by the client's text. */
export function countLossy(nodes: readonly Node[]): LossyCount | null {
  const count: LossyCount = { turns: 0, tokens: 0, unlocated: 0, recomputed: 0 };
  for (const node of nodes) {
    if (node.kind !== "given" || !node.lossyTurns) continue;
    count.turns += node.lossyTurns.length;
    for (const turn of node.lossyTurns) {
      if (turn) count.tokens += turn[1] - turn[0];
      else count.unlocated += 1;
    }
    for (const logprob of node.recomputed?.logprobs ?? [])
      if (logprob !== null) count.recomputed += 1;
  }
  return count.turns === 0 ? null : count;
}

/**
 * Says which recomputed turns a segment trains, path by path. A node that several paths share is trained by the first
 * alone, and so is a turn that the client gave again on another branch, token for token the same.
 */
export class RecomputedTurns {
  readonly #isWanted: boolean;
  readonly #nodes = new Set<number>();
  readonly #turns = new Set<string>();

  constructor(isWanted: boolean) {
    this.#isWanted = isWanted;
  }

  /** `[node, from, to)` of the turns that train on this path and on none before it; how many of their tokens have a log-prob. */
  take(path: readonly Node[]): { spans: [number, number, number][] | undefined; tokens: number } {
    const fresh = path.filter((node) => this.#isFresh(node));
    const turns = fresh.flatMap((node) => lossySpans(node).map((span) => ({ node, span })));
    const textOf = ({ node, span }: (typeof turns)[number]) => node.tokenIds.slice(...span).join();
    const own = turns.filter((turn) => !this.#turns.has(textOf(turn)));
    for (const node of fresh) this.#nodes.add(node.id);
    for (const turn of own) this.#turns.add(textOf(turn));
    const spans = own.map(({ node, span }): [number, number, number] => [node.id, ...span]);
    const tokens = own.reduce((sum, turn) => sum + scoredIn(turn.node, turn.span), 0);
    return { spans: spans.length > 0 ? spans : undefined, tokens };
  }

  #isFresh(node: Node): boolean {
    const isScored = node.kind === "given" && node.recomputed !== undefined;
    return this.#isWanted && isScored && !this.#nodes.has(node.id);
  }
}

function scoredIn(node: Node, [from, to]: Span): number {
  return [...recomputedScores(node)].filter(
    ([at, logprob]) => at >= from && at < to && logprob !== null,
  ).length;
}
