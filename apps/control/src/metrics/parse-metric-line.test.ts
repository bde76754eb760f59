import { expect, test } from "vitest";
import { parseMetricLine } from "#metrics/parse-metric-line.ts";

test("keeps numbers, names what is not finite, leaves text out", () => {
  expect(
    parseMetricLine(
      '{"step":3,"data":{"a":1.5,"b":null,"c":"text","d":true,"e":[1],"val-core/x/y/acc/mean@1":0}}',
    ),
  ).toEqual({
    step: 3,
    values: { a: 1.5, b: "NaN", d: 1, "val-core/x/y/acc/mean@1": 0 },
    fault: null,
  });
});

test.each([
  ['{"step":1.5,"data":{}}', /whole number/],
  ['{"step":99999999999,"data":{}}', /whole number/],
  ['{"data":{}}', /whole number/],
  ['{"step":1,"data":[]}', /not an object/],
  ["[1]", /not a JSON object/],
  ['{"step":1,', /not a JSON object/],
  [`{"step":1,"data":{"${"k".repeat(301)}":1}}`, /301 characters/],
  ['{"step":1,"data":{"a\\u0000b":1}}', /NUL/],
  ['{"step":1,"data":{"a\\ud83d":1}}', /half a character/],
])("refuses %s", (line, why) => {
  expect(parseMetricLine(line).fault).toMatch(why);
});

test("a key named like a property of every object is only a key", () => {
  const parsed = parseMetricLine('{"step":1,"data":{"__proto__":1,"constructor":2}}');
  expect(parsed.fault).toBeNull();
  if (parsed.fault === null)
    expect(Object.entries(parsed.values)).toEqual([
      ["__proto__", 1],
      ["constructor", 2],
    ]);
});

test("a key may hold any whole character", () => {
  expect(parseMetricLine('{"step":1,"data":{"a\\ud83d\\ude00":1}}').fault).toBeNull();
});

test("a string that never ends is refused as quickly as any line", () => {
  const began = performance.now();
  for (const end of ["", "\\"])
    expect(parseMetricLine(`{"step":1,"data":{"${'\\"'.repeat(100_000)}${end}`).fault).toMatch(
      /not a JSON object/,
    );
  expect(performance.now() - began).toBeLessThan(5_000);
});

test("a bare NaN inside a string stays text", () => {
  const parsed = parseMetricLine('{"step":1,"data":{"a,NaN,b":NaN}}');
  expect(parsed).toEqual({ step: 1, values: { "a,NaN,b": "NaN" }, fault: null });
});
