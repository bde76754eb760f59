import { expect, test } from "vitest";
import { countWords, whyShared } from "#tasks/count-words.ts";

test("names that stand for several tasks are told", () => {
  expect(countWords(12, 103, 103)).toBe("12 of 103 tasks");
  expect(countWords(12, 103, 187)).toBe("12 of 103 names · 187 tasks");
  expect(whyShared(103, 103)).toBeUndefined();
  expect(whyShared(103, 187)).toContain("share a row");
});
