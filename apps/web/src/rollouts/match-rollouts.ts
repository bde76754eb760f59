import type { RolloutRow } from "@liverl/contract/views";

/** Rows whose task, ids, error, ending or integrity flag hold every word of the query, case left aside. */
export function matchRollouts(rows: readonly RolloutRow[], query: string): readonly RolloutRow[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = [
      row.taskName,
      row.taskId,
      row.rolloutId,
      row.groupId,
      row.termination ?? "",
      row.error?.exception_type ?? "",
      ...row.integrityKinds.map((kind) => `integrity-${kind}`),
    ]
      .join(" ")
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
