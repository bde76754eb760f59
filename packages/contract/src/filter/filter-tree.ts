/** Characters of a filter. */
export const MAX_FILTER_LENGTH = 4_000;

/** How a field compares. `~` is "contains", letter case left aside. */
const COMPARISONS = ["=", "!=", "<", "<=", ">", ">=", "~", "!~"] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** What a field is compared with; null is written `none`. */
export type FilterValue = string | number | null;

/** One condition on one field. */
export type FilterLeaf =
  | { kind: "compare"; field: string; op: Comparison; value: FilterValue }
  /** `step in 100..120`, both ends included. */
  | { kind: "range"; field: string; from: number; to: number }
  /** `reason in (timeout, max-turns)`. */
  | { kind: "among"; field: string; values: (string | number)[] };

/** A filter as it was read. `and` and `or` hold two parts or more, and none of their own kind. */
export type Filter =
  | FilterLeaf
  | { kind: "and" | "or"; parts: Filter[] }
  | { kind: "not"; part: Filter };

/** What a text that is no filter throws: where its fault is and what to write instead. */
export class FilterError extends Error {
  override readonly name = "FilterError";
  /** Of the fault's first character, from 1. */
  readonly column: number;
  /** Characters that are at fault; 0 at the end of the text. */
  readonly length: number;
  /** What was probably meant in their place. */
  readonly suggestion: string | null;

  constructor(
    why: string,
    at: { column: number; length?: number | undefined; suggestion?: string | null | undefined },
  ) {
    const suggestion = at.suggestion ?? null;
    super(`${why}${suggestion === null ? "" : ` Did you mean ${suggestion}?`}`);
    this.column = at.column;
    this.length = at.length ?? 0;
    this.suggestion = suggestion;
  }
}
