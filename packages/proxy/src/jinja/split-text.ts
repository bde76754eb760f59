import { plain, sliceText, type Text } from "#jinja/given-text.ts";
import { JinjaError } from "#jinja/jinja-error.ts";
import { isSpace, stripText } from "#jinja/strip-text.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: Python ends lines at these, too.
const LINE_END = /\r\n|[\n\r\v\f\u001c\u001d\u001e\u0085\u2028\u2029]/g;

/** `str.split`; `separator` null splits at white space, `limit` -1 everywhere. */
export function splitText(source: Text, separator: string | null, limit: number): Text[] {
  if (separator === "") throw new JinjaError("text is split at an empty separator");
  return separator === null ? splitAtSpace(source, limit) : splitAt(source, separator, limit);
}

function splitAt(source: Text, separator: string, limit: number): Text[] {
  const text = plain(source);
  const pieces: Text[] = [];
  let from = 0;
  for (;;) {
    const at = limit >= 0 && pieces.length >= limit ? -1 : text.indexOf(separator, from);
    if (at < 0) return [...pieces, sliceText(source, from, text.length)];
    pieces.push(sliceText(source, from, at));
    from = at + separator.length;
  }
}

function splitAtSpace(source: Text, limit: number): Text[] {
  const text = plain(source);
  const pieces: Text[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && isSpace(text[at] ?? "")) at += 1;
    if (at >= text.length) return pieces;
    if (limit >= 0 && pieces.length >= limit)
      return [...pieces, stripText(sliceText(source, at, text.length), null, { left: false })];
    const start = at;
    while (at < text.length && !isSpace(text[at] ?? "")) at += 1;
    pieces.push(sliceText(source, start, at));
  }
}

/** `str.rsplit`. */
export function splitTextFromRight(source: Text, separator: string | null, limit: number): Text[] {
  if (limit < 0) return splitText(source, separator, limit);
  if (separator === "") throw new JinjaError("text is split at an empty separator");
  const pieces: Text[] = [];
  let rest = separator === null ? stripText(source, null, { left: false }) : source;
  while (pieces.length < limit) {
    const text = plain(rest);
    const at = separator === null ? lastSpace(text) : text.lastIndexOf(separator);
    if (at < 0 || (separator === null && text === "")) break;
    pieces.unshift(sliceText(rest, at + (separator?.length ?? 1), text.length));
    rest = sliceText(rest, 0, at);
    if (separator === null) rest = stripText(rest, null, { left: false });
  }
  if (separator !== null) return [rest, ...pieces];
  const first = stripText(rest, null);
  return plain(first) === "" ? pieces : [first, ...pieces];
}

function lastSpace(text: string): number {
  for (let at = text.length - 1; at >= 0; at--) if (isSpace(text[at] ?? "")) return at;
  return -1;
}

/** `str.splitlines`. */
export function splitLines(source: Text, keepEnds: boolean): Text[] {
  const text = plain(source);
  const lines: Text[] = [];
  let from = 0;
  for (const { 0: end, index } of text.matchAll(LINE_END)) {
    lines.push(sliceText(source, from, keepEnds ? index + end.length : index));
    from = index + end.length;
  }
  if (from < text.length) lines.push(sliceText(source, from, text.length));
  return lines;
}
