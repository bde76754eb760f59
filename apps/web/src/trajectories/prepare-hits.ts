import { findText } from "#trajectories/find-text.ts";

/** Indexes of the tokens that a match of `query` touches. */
export function prepareHits(texts: readonly string[], query: string): ReadonlySet<number> {
  const hits = new Set<number>();
  const starts = findText(texts.join(""), query);
  if (starts.length === 0) return hits;
  let offset = 0;
  let next = 0;
  for (const [index, text] of texts.entries()) {
    const end = offset + text.length;
    while (next < starts.length && (starts[next] ?? 0) + query.length <= offset) next += 1;
    const start = starts[next];
    if (start !== undefined && start < end && start + query.length > offset) hits.add(index);
    offset = end;
  }
  return hits;
}
