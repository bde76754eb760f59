import { expect, test } from "vitest";
import { isForHovered } from "#charts/is-for-hovered.ts";

const on = (...selectors: string[]) => ({
  matches: (list: string) => list.split(", ").some((one) => selectors.includes(one)),
});
const arrow = { key: "ArrowLeft", defaultPrevented: false };

test.each([
  ["an arrow, nothing in focus", arrow, null, true],
  ["an arrow, the page in focus", arrow, on("#page"), true],
  ["an arrow in a text box or another panel", arrow, on("input"), false],
  ["an arrow that somebody took", { ...arrow, defaultPrevented: true }, on("body"), false],
  ["a letter", { ...arrow, key: "l" }, on("body"), false],
])("%s", (_, event, focused, expected) => {
  expect(isForHovered(event, focused)).toBe(expected);
});
