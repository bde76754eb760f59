import { type Place, pathTo } from "#tree/session-tree.ts";

/**
 * Position of the first prompt token whose expert routing no turn above has: the last token of the sampled node that the
 * prompt goes on from, since an engine reads a token only to sample the next one. 0 where a turn above lacks its rows.
 */
export function unroutedFrom(prompt: Place): number {
  let length = 0;
  let from = 0;
  for (const { node } of pathTo(prompt)) {
    length += node.tokenIds.length;
    if (node.kind === "sampled") from = node.routedExperts ? length - 1 : 0;
  }
  return from;
}
