import { expect, test } from "vitest";
import { formatClock, formatExact, formatWhen } from "#ui/format-time.ts";

const noon = new Date(2026, 10, 21, 12, 0, 5);

test("clock and exact time are those of this computer", () => {
  expect(formatClock(noon)).toBe("12:00:05");
  expect(formatExact(noon)).toBe("2026-11-21 12:00:05");
});

test("relative below one day, date after", () => {
  expect(formatWhen(noon, noon.getTime() + 13 * 60_000)).toBe("13 m");
  expect(formatWhen(noon, noon.getTime() + 30 * 3_600_000)).toBe("2026-11-21");
});

test("nonsense is a dash", () => {
  expect(formatClock("soon")).toBe("—");
  expect(formatExact(null)).toBe("—");
  expect(formatWhen(undefined)).toBe("—");
});
