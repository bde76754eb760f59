import { FilterError } from "#filter/filter-tree.ts";

export interface FilterToken {
  kind: "word" | "string" | "number" | "op" | "open" | "close" | "comma" | "dots";
  /** As it stands in the text; of a string without quotes and escapes. */
  text: string;
  /** `[from, to)` in the text. */
  from: number;
  to: number;
}

const SPACE = /\s+/y;
// A word may hold what ids and names hold, but not the two dots of a range.
const WORD = /[\p{L}_](?:[\p{L}\p{N}_\-/:@+]|\.(?!\.))*/uy;
const NUMBER = /-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const OPERATOR = /!=|<=|>=|==|!~|[=<>~]/y;
const SINGLE = { "(": "open", ")": "close", ",": "comma" } as const;

/** The text's words, values and signs. Throws a {@link FilterError} at the first character that is none of them. */
export function readTokens(text: string): FilterToken[] {
  const tokens: FilterToken[] = [];
  let at = 0;
  while (at < text.length) {
    const space = match(SPACE, text, at);
    if (space !== null) {
      at += space.length;
      continue;
    }
    const token = readToken(text, at);
    tokens.push(token);
    at = token.to;
  }
  return tokens;
}

function readToken(text: string, from: number): FilterToken {
  const first = text.charAt(from);
  if (first === '"' || first === "'") return readString(text, from, first);
  if (first in SINGLE)
    return { kind: SINGLE[first as keyof typeof SINGLE], text: first, from, to: from + 1 };
  if (text.startsWith("..", from)) return { kind: "dots", text: "..", from, to: from + 2 };
  for (const [kind, pattern] of [
    ["word", WORD],
    ["number", NUMBER],
    ["op", OPERATOR],
  ] as const) {
    const found = match(pattern, text, from);
    // `==` is read as `=`: hands write both.
    if (found !== null)
      return { kind, text: found === "==" ? "=" : found, from, to: from + found.length };
  }
  throw new FilterError(`Unexpected ${first}. Put text in quotes.`, {
    column: from + 1,
    length: 1,
  });
}

function readString(text: string, from: number, quote: string): FilterToken {
  let value = "";
  for (let at = from + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === quote) return { kind: "string", text: value, from, to: at + 1 };
    if (char === "\\" && at + 1 < text.length) {
      at += 1;
      value += text.charAt(at);
    } else value += char;
  }
  throw new FilterError(`Missing closing ${quote}.`, {
    column: from + 1,
    length: text.length - from,
  });
}

function match(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}
