import { expect, test } from "vitest";
import { prepareLineNotes } from "#launch/prepare-line-notes.ts";

test("each line shows the weightiest note of its values", () => {
  const lines = new Map([
    ["name", 1],
    ["a.x", 2],
    ["a.y", 2],
    ["b", 3],
  ]);
  const sources = new Map([
    ["a.x", { source: "override", was: 1 }],
    ["a.y", { source: "preset", was: 2 }],
    ["b", { source: "preset", was: 3 }],
  ] as const);
  const notes = prepareLineNotes(
    lines,
    sources,
    new Map([["b", { level: "warn", message: "odd" }]]),
    null,
  );
  expect([...notes]).toEqual([
    [2, { tone: "override", text: "override, was 1" }],
    [3, { tone: "warn", text: "odd" }],
  ]);
  expect([...prepareLineNotes(lines, sources, new Map(), { line: 2, message: "bad" })]).toEqual([
    [2, { tone: "fail", text: "bad" }],
  ]);
});
