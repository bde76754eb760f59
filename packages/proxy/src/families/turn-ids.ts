import type { Family } from "#families/family.ts";
import type { AddedToken } from "#renderer/model-folder.ts";

/** Ids at which sampling ends, by the family's grammar. */
export function stopIdsOf(family: Family, addedIds: ReadonlyMap<string, number>): number[] {
  return family.turnEnd.stops.flatMap((text) => addedIds.get(text) ?? []);
}

/** Ids that a client never sees as text: stops, and special tokens that carry nothing of the grammar. */
export function hiddenIdsOf(
  family: Family,
  addedTokens: readonly AddedToken[],
  stopIds: readonly number[],
): ReadonlySet<number> {
  const hidden = addedTokens.filter(
    ({ special, content }) => special && !family.marks.some((mark) => content.includes(mark)),
  );
  return new Set([...stopIds, ...hidden.map((token) => token.id)]);
}
