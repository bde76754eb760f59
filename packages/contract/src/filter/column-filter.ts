import type { Filter, FilterLeaf } from "#filter/filter-tree.ts";

/** The conditions that all have to hold. */
function conjuncts(filter: Filter | null): readonly Filter[] {
  if (filter === null) return [];
  return filter.kind === "and" ? filter.parts : [filter];
}

function joinAll(parts: readonly Filter[]): Filter | null {
  const [only] = parts;
  return parts.length > 1 ? { kind: "and", parts: [...parts] } : (only ?? null);
}

function isOf(field: string, part: Filter): part is FilterLeaf {
  return "field" in part && part.field === field;
}

/** The condition that a column's own filter shows; null where the text has none of the field's own. */
export function columnFilter(filter: Filter | null, field: string): FilterLeaf | null {
  return conjuncts(filter).find((part) => isOf(field, part)) ?? null;
}

/** The filter with this condition in place of the column's; null takes it away. All else stays. */
export function withColumnFilter(
  filter: Filter | null,
  field: string,
  leaf: FilterLeaf | null,
): Filter | null {
  const parts = conjuncts(filter);
  const at = parts.findIndex((part) => isOf(field, part));
  const kept: readonly Filter[] = parts.filter((part) => !isOf(field, part));
  if (leaf === null) return joinAll(kept);
  return joinAll(kept.toSpliced(at < 0 ? kept.length : Math.min(at, kept.length), 0, leaf));
}
