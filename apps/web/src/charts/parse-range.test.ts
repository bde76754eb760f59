import { expect, test } from "vitest";
import { parseRange, rangeParser } from "#charts/parse-range.ts";

test.each([
  ["120:300", [120, 300]],
  ["0:1", [0, 1]],
  ["300:120", null],
  ["5:5", null],
  ["a:b", null],
  ["1:2:3", null],
])("%s", (text, range) => expect(parseRange(text)).toEqual(range));

test("what is written is read back", () => {
  expect(parseRange(rangeParser.serialize([3, 17]))).toEqual([3, 17]);
});
