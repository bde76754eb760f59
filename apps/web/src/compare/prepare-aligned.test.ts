import type { RunEvent } from "@liverl/contract/run";
import { expect, test } from "vitest";
import { prepareAligned } from "#compare/prepare-aligned.ts";

let id = 0;
const event = (kind: RunEvent["kind"], step: number | null, second: number): RunEvent => ({
  ...{ id: ++id, kind, step, actor: "test", message: `${kind} ${step}` },
  at: new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString(),
});
const runs = [
  { runId: "a", events: [event("launch", null, 0), event("checkpoint", 50, 100)] },
  // A day later, and half as fast.
  { runId: "b", events: [event("launch", null, 86_400), event("checkpoint", 50, 86_600)] },
];
const lefts = (by: "step" | "time", range: [number, number] | null = null) => {
  const { ribbons } = prepareAligned(runs, { by, range, width: 400 });
  return ["a", "b"].map((run) => ribbons.get(run)?.glyphs.map(({ left }) => left));
};

test("by step, what happened at one step stands under one another", () => {
  expect(lefts("step")).toEqual([
    [0, 400],
    [0, 400],
  ]);
  expect(lefts("step", [0, 100])).toEqual([
    [0, 200],
    [0, 200],
  ]);
});

test("by time, each run begins at zero and the slower one is longer", () => {
  expect(lefts("time")).toEqual([
    [0, 200],
    [0, 400],
  ]);
  const { ticks } = prepareAligned(runs, { by: "time", range: [0, 10], width: 400 });
  expect(ticks[0]).toEqual({ at: 0, left: 0 });
  expect(ticks.at(-1)?.at).toBe(200);
});

test("a run without events has an empty line", () => {
  const { ribbons } = prepareAligned([{ runId: "a", events: [] }], {
    ...{ by: "time", range: null, width: 400 },
  });
  expect(ribbons.get("a")?.glyphs).toEqual([]);
});
