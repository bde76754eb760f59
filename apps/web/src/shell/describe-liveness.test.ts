import { expect, test } from "vitest";
import { describeLiveness, type WatchedRun } from "#shell/describe-liveness.ts";

const open = { status: "open", goneSinceMs: null } as const;
const AT_MS = 10_000;
const sending = (usualGapS: number | null, atMs = AT_MS): WatchedRun => ({
  ...{ status: "running", usualGapS, lastPointAt: new Date(atMs).toISOString() },
});
const after = (runs: readonly WatchedRun[], ageS: number) =>
  describeLiveness(open, runs, AT_MS + ageS * 1000).words;

test("shows the age of the newest data while a run is active", () => {
  expect(describeLiveness(open, [sending(10)], 12_000)).toMatchObject({
    ...{ dot: "live", words: "Live · 2 s", why: "Age of the newest data; usual gap 10 s" },
  });
});

test.each<[usualGapS: number | null, ageS: number, words: string]>([
  [10, 115, "Live · 2 m"],
  [10, 192, "Stale · 3 m"],
  // Steps of verl take minutes.
  [522, 192, "Live · 3 m"],
  [522, 1_800, "Live · 30 m"],
  [522, 2_400, "Stale · 40 m"],
  [null, 500, "Live · 8 m"],
  [null, 660, "Stale · 11 m"],
])("a usual gap of %s s and data %i s old: %s", (usualGapS, ageS, words) => {
  expect(after([sending(usualGapS)], ageS)).toBe(words);
});

test("of several runs the one that sent last decides, and one that boots is never stale", () => {
  const slow = sending(522, AT_MS + 60_000);
  expect(after([sending(10), slow], 360)).toBe("Live · 5 m");
  expect(after([{ ...sending(10), status: "stopping" }], 600)).toBe("Live · 10 m");
  expect(after([{ status: "booting", usualGapS: null, lastPointAt: null }], 900)).toBe("Live");
});

test("quiet is no fault when nothing runs", () => {
  expect(describeLiveness(open, [], 900_000)).toMatchObject({ dot: "ok", words: "Connected" });
});

test("a short break is no alarm", () => {
  const gone = { status: "gone", goneSinceMs: 1_000 } as const;
  expect(describeLiveness(gone, [sending(10)], 1_500)).toMatchObject({
    ...{ dot: "off", words: "Reconnecting" },
  });
});

test("a lost connection wins over everything", () => {
  const gone = { status: "gone", goneSinceMs: 1_000 } as const;
  expect(describeLiveness(gone, [sending(10)], 13_000)).toMatchObject({
    ...{ dot: "bad", words: "Connection lost · 12 s" },
  });
});
