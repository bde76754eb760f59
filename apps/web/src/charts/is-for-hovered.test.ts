import { expect, test } from "vitest";
import { isForHovered } from "#charts/is-for-hovered.ts";

/** Stands in for an element: the selectors that match it, and whether it is in what lies over the page. */
const on = (...selectors: string[]) => ({
  matches: (list: string) => list.split(", ").some((one) => selectors.includes(one)),
  closest: (list: string) => (selectors.some((one) => list.includes(one)) ? {} : null),
});
const arrow = { key: "ArrowLeft", defaultPrevented: false };
const enter = { key: "Enter", defaultPrevented: false };

test.each([
  ["an arrow, nothing in focus", arrow, null, true],
  ["an arrow, the page in focus", arrow, on("#page"), true],
  ["an arrow after a press of a button", arrow, on("button:not([role])"), true],
  ["Enter on a button", enter, on("button:not([role])"), false],
  ["Enter, the page in focus", enter, on("body"), true],
  ["an arrow in a text box or another panel", arrow, on("input"), false],
  ["Enter in a dialog", enter, on("[tabindex='-1']", "[role=dialog]"), false],
  ["an arrow that somebody took", { ...arrow, defaultPrevented: true }, on("body"), false],
  ["a letter", { ...arrow, key: "l" }, on("body"), false],
])("%s", (_, event, focused, expected) => {
  expect(isForHovered(event, focused)).toBe(expected);
});
