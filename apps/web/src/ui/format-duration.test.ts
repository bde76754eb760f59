import { expect, test } from "vitest";
import { formatAge, formatDuration } from "#ui/format-duration.ts";

test.each([
  [0.012, "12 ms"],
  [1.4, "1.4 s"],
  [48, "48 s"],
  [59.7, "1 m 00 s"],
  [514, "8 m 34 s"],
  [78_180, "21 h 43 m"],
  [3 * 86_400, "3 d"],
  [-90, "−1 m 30 s"],
  [null, "—"],
])("%s s reads %s", (seconds, text) => expect(formatDuration(seconds)).toBe(text));

test.each([
  [2, "2 s"],
  [780, "13 m"],
  [75_600, "21 h"],
  [260_000, "3 d"],
])("age %d s reads %s", (seconds, text) => expect(formatAge(seconds)).toBe(text));
