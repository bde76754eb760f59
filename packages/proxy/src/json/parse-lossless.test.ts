import * as fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson, canonicalOfParsed } from "#json/canonical-json.ts";
import { type LosslessValue, parseLossless } from "#json/parse-lossless.ts";

function plain(value: LosslessValue): unknown {
  if (value.kind === "object")
    return Object.fromEntries(value.entries.map(([key, inner]) => [key, plain(inner)]));
  if (value.kind === "array") return value.elements.map(plain);
  return value.kind === "number" ? Number(value.text) : value.value;
}

it("agrees with JSON.parse on every JSON text", () => {
  void fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(undefined, 1, "\t"), (text, space) => {
      const spaced = JSON.stringify(JSON.parse(text), null, space);
      expect(plain(parseLossless(spaced))).toEqual(JSON.parse(spaced));
    }),
  );
});

it("gives one canonical text whatever the spacing and the order of keys", () => {
  void fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(parseLossless(JSON.stringify(value, null, 2)))).toBe(
        canonicalOfParsed(JSON.parse(JSON.stringify(value))),
      );
    }),
  );
  expect(canonicalJson(parseLossless('{"b": 1.0, "a": 9007199254740993}'))).toBe(
    '{"a":9007199254740992,"b":1}',
  );
});

it.each(["", "{", "[1,]", '{"a" 1}', "01", "nul", '"\n"', '"\\x"', "1 2", "[".repeat(1000)])(
  "refuses %j",
  (text) => {
    expect(() => parseLossless(text)).toThrow(SyntaxError);
  },
);
