import type { LogLine } from "@liverl/contract/views";
import { expect, test } from "vitest";
import { atLeast, isBefore, mergeLines, nearestLine, sayNoLine } from "#logs/log-lines.ts";

const line = (offset: number, change: Partial<LogLine> = {}): LogLine => ({
  offset,
  at: `2026-01-01T00:00:0${offset}Z`,
  level: "info",
  text: `line ${offset}`,
  ...change,
});
const offsets = (lines: readonly LogLine[]) => lines.map((known) => known.offset);

test("older pages, newer frames and repeats unite by offset", () => {
  expect(offsets(mergeLines([line(3)], [line(4), line(5)]))).toEqual([3, 4, 5]);
  expect(offsets(mergeLines([line(3), line(4)], [line(1), line(3)]))).toEqual([1, 3, 4]);
  expect(mergeLines([line(3)], [line(3, { text: "whole" })]).map((known) => known.text)).toEqual([
    "whole",
  ]);
});
test("beyond the limit the oldest lines go", () => {
  const lines = [line(1), line(2), line(3)];
  expect(offsets(mergeLines(lines, [line(4)], 2))).toEqual([3, 4]);
  expect(offsets(mergeLines(lines, [line(0)]))).toEqual([0, 1, 2, 3]);
});
test("a level hides what is below it", () => {
  const lines = [
    line(1, { level: "debug" }),
    line(2, { level: "unknown" }),
    line(3, { level: "fatal" }),
  ];
  expect(offsets(atLeast(lines, "info"))).toEqual([2, 3]);
  expect(offsets(atLeast(lines, "error"))).toEqual([3]);
  expect(atLeast(lines, "trace")).toBe(lines);
});
test("a traceback stays whole when only errors are shown", () => {
  const whose = "(Worker pid=1) ";
  const lines = [
    line(1, { level: "info" }),
    line(2, { level: "unknown", text: "plain" }),
    line(3, { level: "error", text: `${whose}Traceback (most recent call last):` }),
    line(4, { level: "error", text: `${whose}  File "x.py", line 1` }),
    line(5, { level: "unknown", text: `${whose}    step()` }),
    line(6, { level: "error", text: `${whose}ValueError: no` }),
    line(7, { level: "unknown", text: "plain" }),
  ];
  expect(offsets(atLeast(lines, "error"))).toEqual([3, 4, 5, 6]);
  expect(offsets(atLeast(lines, "info"))).toHaveLength(7);
});
test("a moment is found in the log", () => {
  const lines = [line(1), line(2, { at: null }), line(3), line(5)];
  expect(nearestLine(lines, "2026-01-01T00:00:01.4Z")).toMatchObject({ index: 0, awayMs: -400 });
  // Equally near: the first.
  expect(nearestLine(lines, "2026-01-01T00:00:02Z")).toMatchObject({ index: 0, isNear: true });
  expect(nearestLine(lines, "2026-01-01T00:00:09Z")).toMatchObject({ index: 3, awayMs: -4000 });
  expect(nearestLine([], "2026-01-01T00:00:09Z")).toBeNull();
  expect(nearestLine(lines, "never")).toBeNull();
  expect(isBefore(lines, "2025-12-31T00:00:00Z")).toBe(true);
  expect(isBefore(lines, "2026-01-01T00:00:02Z")).toBe(false);
});
test("a line minutes away is not passed off as the moment's", () => {
  const lines = [line(1), line(2)];
  const later = nearestLine(lines, "2025-12-31T23:58:30Z");
  expect(later).toMatchObject({ index: 0, awayMs: 91_000, isNear: false });
  expect(sayNoLine(later, false)).toBe(
    "No line within 5 s of this moment: the nearest was written 1 m 31 s after it.",
  );
  expect(sayNoLine(nearestLine(lines, "2026-01-01T00:00:12Z"), true)).toContain(
    "the nearest of those read was written 10 s before it",
  );
  expect(sayNoLine(nearestLine(lines, "2026-01-01T00:00:06Z"), false)).toBeNull();
  expect(sayNoLine(nearestLine([line(1, { at: null })], "2026-01-01T00:00:06Z"), false)).toContain(
    "No line here has a time",
  );
});
