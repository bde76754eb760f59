import { expect, test } from "vitest";
import { stopWords } from "#runs/stop-words.ts";

test.each([
  ["running", 46, true, null],
  ["stopping", 46, true, "Stopping after step 47"],
  ["stopping", 46, "It stops already.", "Stopping now"],
  ["stopping", 0, true, "Stopping"],
  ["cancelled", 46, "The run has ended.", null],
] as const)("%s at step %i, kill %s: %s", (status, step, kill, words) => {
  expect(stopWords({ status, step, can: { kill } })).toBe(words);
});
