/**
 * JSON with nothing lost: number text, key order (integer-like keys too) and source offsets.
 * `JSON.parse` turns `1.0` into 1, rounds integers above 2^53 and moves integer-like keys to the front.
 */
export type LosslessValue = { start: number; end: number } & (
  | { kind: "object"; entries: [key: string, value: LosslessValue][] }
  | { kind: "array"; elements: LosslessValue[] }
  | { kind: "string"; value: string }
  | { kind: "number"; text: string }
  | { kind: "literal"; value: boolean | null }
);

export const MAX_DEPTH = 200;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
const LITERALS = [
  ["true", true],
  ["false", false],
  ["null", null],
] as const;

/** Parses the whole text. Throws SyntaxError. */
export function parseLossless(text: string): LosslessValue {
  const value = parseLosslessAt(text, 0);
  if (skipSpace(text, value.end) !== text.length)
    throw new SyntaxError(`unexpected text at ${value.end}`);
  return value;
}

/** Parses one value that starts at `at` (after white space); what follows it is left alone. Throws SyntaxError. */
export function parseLosslessAt(text: string, at: number): LosslessValue {
  return parseValue(text, skipSpace(text, at), 0);
}

export function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

function parseValue(text: string, start: number, depth: number): LosslessValue {
  if (depth > MAX_DEPTH) throw new SyntaxError("nested too deep");
  const first = text[start];
  if (first === "{") return parseObject(text, start, depth);
  if (first === "[") return parseArray(text, start, depth);
  if (first === '"') return parseString(text, start);
  for (const [word, value] of LITERALS) {
    if (text.startsWith(word, start))
      return { kind: "literal", value, start, end: start + word.length };
  }
  NUMBER.lastIndex = start;
  const number = NUMBER.exec(text)?.[0];
  if (number === undefined) throw new SyntaxError(`no JSON value at ${start}`);
  return { kind: "number", text: number, start, end: start + number.length };
}

function parseString(text: string, start: number): LosslessValue & { kind: "string" } {
  let hasEscapes = false;
  // A loop, not a regular expression: strings may be megabytes long.
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < FIRST_PRINTABLE) break;
    if (code === BACKSLASH) {
      hasEscapes = true;
      at += 1;
    } else if (code === QUOTE) {
      const source = text.slice(start, at + 1);
      const value: unknown = hasEscapes ? JSON.parse(source) : source.slice(1, -1);
      return { kind: "string", value: String(value), start, end: at + 1 };
    }
  }
  throw new SyntaxError(`unsound string at ${start}`);
}

function parseObject(text: string, start: number, depth: number): LosslessValue {
  const entries: [string, LosslessValue][] = [];
  let at = skipSpace(text, start + 1);
  if (text[at] === "}") return { kind: "object", entries, start, end: at + 1 };
  for (;;) {
    if (text[at] !== '"') throw new SyntaxError(`no key at ${at}`);
    const key = parseString(text, at);
    at = skipSpace(text, key.end);
    if (text[at] !== ":") throw new SyntaxError(`no colon at ${at}`);
    const value = parseValue(text, skipSpace(text, at + 1), depth + 1);
    entries.push([key.value, value]);
    at = skipSpace(text, value.end);
    if (text[at] === "}") return { kind: "object", entries, start, end: at + 1 };
    if (text[at] !== ",") throw new SyntaxError(`no comma at ${at}`);
    at = skipSpace(text, at + 1);
  }
}

function parseArray(text: string, start: number, depth: number): LosslessValue {
  const elements: LosslessValue[] = [];
  let at = skipSpace(text, start + 1);
  if (text[at] === "]") return { kind: "array", elements, start, end: at + 1 };
  for (;;) {
    const value = parseValue(text, at, depth + 1);
    elements.push(value);
    at = skipSpace(text, value.end);
    if (text[at] === "]") return { kind: "array", elements, start, end: at + 1 };
    if (text[at] !== ",") throw new SyntaxError(`no comma at ${at}`);
    at = skipSpace(text, at + 1);
  }
}
