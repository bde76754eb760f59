import { MAX_DEPTH } from "#json/parse-lossless.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/** Counts the values of a text as they are skipped, so that a text of too many is refused before any of it is parsed. */
export interface ValueCount {
  values: number;
}

/**
 * The place after the JSON value that starts at `at` in UTF-8 bytes. It finds where values end and no more: whoever
 * takes the bytes parses them. Throws SyntaxError, also for values nested too deep.
 */
export function skipValue(
  bytes: Uint8Array,
  at: number,
  count: ValueCount = { values: 0 },
): number {
  const first = bytes[at];
  count.values += 1;
  if (first === QUOTE) return skipString(bytes, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipNested(bytes, at, count);
  return skipScalar(bytes, at);
}

export function skipBlank(bytes: Uint8Array, at: number): number {
  let end = at;
  while (isBlank(bytes[end])) end += 1;
  return end;
}

export function skipString(bytes: Uint8Array, at: number): number {
  for (let from = at + 1; ; ) {
    const quote = bytes.indexOf(QUOTE, from);
    if (quote < 0) throw new SyntaxError(`a string that starts at byte ${at} has no end`);
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}

/** The place after `character`, white space before it skipped. Throws SyntaxError where there is another one. */
export function expectByte(bytes: Uint8Array, at: number, character: string): number {
  const place = skipBlank(bytes, at);
  if (bytes[place] !== character.charCodeAt(0))
    throw new SyntaxError(`byte ${place} is not ${character}`);
  return place + 1;
}

function skipNested(bytes: Uint8Array, start: number, count: ValueCount): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = skipString(bytes, at) - 1;
    else if (byte === COMMA) count.values += 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      count.values += 1;
      if (depth > MAX_DEPTH)
        throw new SyntaxError(`the body is nested more than ${MAX_DEPTH} levels deep`);
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  throw new SyntaxError(`a value that starts at byte ${start} has no end`);
}

function skipScalar(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && !isDelimiter(bytes[at])) at += 1;
  if (at === start) throw new SyntaxError(`byte ${start} begins no value`);
  return at;
}

function isDelimiter(byte: number | undefined): boolean {
  return (
    byte === COMMA ||
    byte === CLOSE_BRACE ||
    byte === CLOSE_BRACKET ||
    byte === COLON ||
    isBlank(byte)
  );
}

const isBlank = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
