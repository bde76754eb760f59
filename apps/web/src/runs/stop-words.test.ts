import { expect, test } from "vitest";
import { stopWords } from "#runs/stop-words.ts";

test.each([
  ["running", true, null],
  ["stopping", true, "Stopping after this step"],
  ["stopping", "It stops already.", "Stopping now"],
  ["cancelled", "The run has ended.", null],
] as const)("%s, kill %s: %s", (status, kill, words) => {
  expect(stopWords({ status, can: { kill } })).toBe(words);
});
