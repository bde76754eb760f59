import fc from "fast-check";
import { expect, it } from "vitest";
import { asciiSplit } from "#renderer/ascii-split.ts";
import { splitPattern } from "#renderer/split-pattern.ts";

const patternOf = (numbers: string) =>
  `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${numbers}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;
const character = fc.oneof(
  fc.constantFrom(..." \t\n\r'\"-_.(){}=0123456789stmdrevlSRELaz\u000b\u000c\u001c\u007f\0"),
  fc.constantFrom("é", "ſ", "K", "\u00a0", "\u0085", "\u2028", "٣", "—", "🧪"),
);
/** Letters of ASCII come far more often, or nearly every piece would be left to the expression. */
const text = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: fc.string({ unit: "binary-ascii", maxLength: 6 }) },
      { weight: 8, arbitrary: character },
    ),
  )
  .map((parts) => parts.join(""));

it.each(["\\p{N}", "\\p{N}{1,3}"])("ends each piece where the expression does: %s", (numbers) => {
  const source = patternOf(numbers);
  const ascii = asciiSplit(source);
  const expression = splitPattern(source);
  if (!ascii || !expression) throw new Error("not known");
  let known = 0;
  fc.assert(
    fc.property(text, (given) => {
      const units = unitsOf(given);
      for (const { 0: piece, index } of given.matchAll(expression)) {
        const end = ascii(units, index, given.length);
        if (end === -1) continue;
        known += 1;
        expect(end, JSON.stringify(given.slice(index))).toBe(index + piece.length);
      }
    }),
    { numRuns: 5_000 },
  );
  expect(known).toBeGreaterThan(20_000);
});

it("knows no other expression", () => {
  expect(asciiSplit("\\s+|\\S+")).toBeNull();
});

const unitsOf = (given: string) =>
  Uint16Array.from({ length: given.length }, (_, at) => given.charCodeAt(at));
