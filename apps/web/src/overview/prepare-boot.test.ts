import type { BootPhase } from "@liverl/contract/run";
import { expect, test } from "vitest";
import { currentPhase, prepareBoot, remainingS } from "#overview/prepare-boot.ts";

const start = Date.parse("2026-11-21T12:00:00Z");
const phase = (
  id: string,
  status: BootPhase["status"],
  fromS: number | null,
  toS: number | null,
  typicalS: [number, number] | null,
): BootPhase => ({
  id,
  label: id,
  status,
  detail: null,
  progress: null,
  startedAt: fromS === null ? null : new Date(start + fromS * 1000).toISOString(),
  endedAt: toS === null ? null : new Date(start + toS * 1000).toISOString(),
  typicalS,
});
const phases = [
  phase("model", "done", 0, 4, [2, 6]),
  phase("warmup", "now", 4, null, [20, 40]),
  phase("engines", "todo", null, null, [4, 6]),
];

test("a bar is progress: full when done, empty before it began, estimated in between", () => {
  const rows = prepareBoot(phases, start + 14_000);
  expect(rows.map(({ seconds }) => seconds)).toEqual([4, 10, null]);
  expect(rows.map(({ done }) => done)).toEqual([1, 10 / 30, 0]);
  expect(rows.map(({ basis }) => basis)).toEqual(["measured", "estimated", "measured"]);
  expect(prepareBoot(phases, start + 400_000)[1]?.done).toBe(0.95);
});

test("a phase that reports its progress shows it, and its remaining time follows", () => {
  const at = (progress: number) =>
    prepareBoot([{ ...phase("warmup", "now", 0, null, null), progress }], start + 10_000)[0];
  expect(at(180 / 700)).toMatchObject({ done: 180 / 700, basis: "measured" });
  expect(at(290 / 700)?.done).toBe(290 / 700);
  expect(at(0.5)?.remainingS).toBe(10);
});

test("a phase of which nothing is known has no share, and no remaining time", () => {
  const rows = prepareBoot([phase("model", "now", 0, null, null)], start + 5_000);
  expect(rows[0]).toMatchObject({ done: null, remainingS: null });
  expect(remainingS(rows)).toBeNull();
});

test("what is left is what earlier boots took, less what has passed", () => {
  expect(remainingS(prepareBoot(phases, start + 14_000))).toBe(25);
});

test("a failed phase is the one to talk about", () => {
  expect(currentPhase(phases)?.id).toBe("warmup");
  expect(currentPhase([...phases, phase("weights", "failed", 0, 1, null)])?.id).toBe("weights");
});
