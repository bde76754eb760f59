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
  startedAt: fromS === null ? null : new Date(start + fromS * 1000).toISOString(),
  endedAt: toS === null ? null : new Date(start + toS * 1000).toISOString(),
  typicalS,
});
const phases = [
  phase("model", "done", 0, 4, [2, 6]),
  phase("warmup", "now", 4, null, [20, 40]),
  phase("engines", "todo", null, null, [4, 6]),
];

test("the phase that runs counts up to now and stays inside its bar", () => {
  const rows = prepareBoot(phases, start + 14_000);
  expect(rows.map(({ seconds }) => seconds)).toEqual([4, 10, null]);
  for (const row of rows) expect(row.share).toBeLessThanOrEqual(1);
});

test("what is left is what earlier boots took, less what has passed", () => {
  expect(remainingS(prepareBoot(phases, start + 14_000))).toBe(25);
  expect(remainingS(prepareBoot([phase("model", "now", 0, null, null)], start))).toBeNull();
});

test("a failed phase is the one to talk about", () => {
  expect(currentPhase(phases)?.id).toBe("warmup");
  expect(currentPhase([...phases, phase("weights", "failed", 0, 1, null)])?.id).toBe("weights");
});
