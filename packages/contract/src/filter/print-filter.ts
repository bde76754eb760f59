import type { Filter, FilterLeaf, FilterValue } from "#filter/filter-tree.ts";

/** The text that reads as this filter; of null, which everything matches, an empty one. */
export function printFilter(filter: Filter | null): string {
  if (filter === null) return "";
  switch (filter.kind) {
    case "and":
      return filter.parts.map((part) => inside(part, part.kind === "or")).join(" and ");
    case "or":
      return filter.parts.map((part) => inside(part, false)).join(" or ");
    case "not":
      return printNot(filter.part);
    default:
      return printLeaf(filter);
  }
}

function inside(part: Filter, wantsParentheses: boolean): string {
  return wantsParentheses ? `(${printFilter(part)})` : printFilter(part);
}

function printNot(part: Filter): string {
  if (part.kind === "range" || part.kind === "among")
    return printLeaf(part).replace(" in ", " not in ");
  return `not ${inside(part, part.kind === "and" || part.kind === "or")}`;
}

function printLeaf(leaf: FilterLeaf): string {
  switch (leaf.kind) {
    case "compare":
      return `${leaf.field} ${leaf.op} ${printValue(leaf.value)}`;
    case "range":
      return `${leaf.field} in ${leaf.from}..${leaf.to}`;
    case "among":
      return `${leaf.field} in (${leaf.values.map(printValue).join(", ")})`;
  }
}

/** Plain words stand as they are; all else, and words with a meaning of their own, in quotes. */
export function printValue(value: FilterValue): string {
  if (value === null) return "none";
  if (typeof value === "number") return String(value);
  const isPlain = /^[A-Za-z_][\w-]*$/.test(value) && !/^(and|or|not|in|none)$/i.test(value);
  return isPlain ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}
