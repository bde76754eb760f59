import { plain, sliceText, type Text } from "#jinja/given-text.ts";

const SURROGATE = /[\ud800-\udfff]/;

/** Length in code points, as Python counts. */
export function lengthOf(source: Text): number {
  const text = plain(source);
  if (!SURROGATE.test(text)) return text.length;
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** Offsets of the code points in UTF-16 units, and the end; null where they are the same. */
export function codePointOffsets(source: Text): number[] | null {
  const text = plain(source);
  if (!SURROGATE.test(text)) return null;
  const offsets: number[] = [];
  let at = 0;
  for (const character of text) {
    offsets.push(at);
    at += character.length;
  }
  offsets.push(at);
  return offsets;
}

export function charactersOf(source: Text): Text[] {
  const offsets = codePointOffsets(source);
  const length = offsets ? offsets.length - 1 : plain(source).length;
  const unit = (i: number) => (offsets ? (offsets[i] ?? 0) : i);
  return Array.from({ length }, (_, i) => sliceText(source, unit(i), unit(i + 1)));
}

/** Order of two texts by code point, which UTF-16 order is not. */
export function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  if (!SURROGATE.test(left) && !SURROGATE.test(right)) return left < right ? -1 : 1;
  const a = [...left];
  const b = [...right];
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i]?.codePointAt(0) ?? 0) - (b[i]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
