import { expect, test } from "vitest";
import { buildTimeline } from "#trajectories/build-timeline.ts";

const at = (second: number) => new Date(second * 1_000).toISOString();
type Given = Parameters<typeof buildTimeline>[0];
const call = (startS: number, endS: number) =>
  ({ startedAt: at(startS), endedAt: at(endS), sampledNodeId: startS }) as Given["calls"][number];
const timings = { queueS: 1, setupS: 2, agentS: 7, generateS: 2, toolS: 0, verifyS: 4 };
const words = (given: Given) =>
  buildTimeline(given).map(({ phase, startS, endS }) => `${phase} ${startS}-${endS}`);

test("a trial waits, is set up, works and is verified", () => {
  const calls = [call(4, 5), call(7, 8)];
  expect(words({ queuedAt: new Date(0), timings, calls })).toEqual([
    ...["queue 0-1", "env 1-3", "tool 3-4", "generate 4-5", "tool 5-7", "generate 7-8"],
    ...["tool 8-10", "verify 10-14"],
  ]);
});

test("verdicts of steps lie where they were", () => {
  const verifier = (step: string, startS: number, endS: number) => ({
    ...{ phase: "verifier" as const, step, state: "done" as const },
    ...{ startedAt: at(startS), endedAt: at(endS) },
  });
  const phases = [verifier("plan", 6, 8), verifier("write", 12, 14)];
  const calls = [call(4, 5), call(10, 11)];
  const given = { queuedAt: new Date(0), calls, phases };
  expect(words({ ...given, timings })).toEqual([
    ...["queue 0-1", "env 1-3", "tool 3-4", "generate 4-5"],
    ...["tool 5-6", "verify 6-8", "tool 8-10", "generate 10-11", "tool 11-12", "verify 12-14"],
  ]);
  // While it goes on, its beginning is not known.
  expect(words({ ...given, timings: null })).not.toContain("verify 6-8");
});
