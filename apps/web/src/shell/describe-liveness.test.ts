import { expect, test } from "vitest";
import { describeLiveness } from "#shell/describe-liveness.ts";

const open = { status: "open", goneSinceMs: null } as const;
const sending = { isActive: true, newestMs: 10_000 };

test("shows the age of the newest data while a run is active", () => {
  expect(describeLiveness(open, sending, 12_000)).toMatchObject({
    dot: "live",
    words: "Live · 2 s",
  });
});

test("an active run without news turns stale", () => {
  expect(describeLiveness(open, sending, 10_000 + 192_000)).toMatchObject({
    dot: "warn",
    words: "Stale · 3 m",
  });
});

test("quiet is no fault when nothing runs", () => {
  expect(describeLiveness(open, { isActive: false, newestMs: 10_000 }, 900_000)).toMatchObject({
    dot: "ok",
    words: "Connected",
  });
});

test("a short break is no alarm", () => {
  expect(describeLiveness({ status: "gone", goneSinceMs: 1_000 }, sending, 1_500)).toMatchObject({
    dot: "off",
    words: "Reconnecting",
  });
});

test("a lost connection wins over everything", () => {
  expect(describeLiveness({ status: "gone", goneSinceMs: 1_000 }, sending, 13_000)).toMatchObject({
    dot: "bad",
    words: "Connection lost · 12 s",
  });
});
