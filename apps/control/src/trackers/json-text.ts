/** In JSON's text: a NUL, or half of a character that UTF-16 writes in two. PostgreSQL's jsonb holds neither. */
const NOT_STORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gi;
/** Nesting below which a value is not read any more: nobody looks at it, and the stack would end. */
const MOST_DEPTH = 32;

/** JSON for a column; characters that PostgreSQL can not hold become the replacement character. */
export function jsonText(value: unknown): string {
  return JSON.stringify(prune(value, MOST_DEPTH)).replace(NOT_STORABLE, "$1\ufffd");
}

function prune(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return "…";
  if (Array.isArray(value)) return value.map((item) => prune(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, prune(item, depth - 1)]),
  );
}

/** The same for a text column. */
export function storableText(text: string): string {
  return text.replaceAll(/\0|\p{Surrogate}/gu, "\ufffd");
}
