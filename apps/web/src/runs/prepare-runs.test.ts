import type { RunSummary } from "@liverl/contract/run";
import { expect, test } from "vitest";
import { countViews, prepareRuns } from "#runs/prepare-runs.ts";

function run(name: string, rest: Partial<RunSummary> = {}): RunSummary {
  return {
    id: `${name}-01`,
    project: "p",
    name,
    status: "running",
    statusReason: null,
    driver: "embedded",
    source: null,
    algorithm: "grpo",
    step: 1,
    plannedSteps: 10,
    reward: { last: null, steps: [], values: [] },
    heldOutReward: null,
    mfu: null,
    idleRatio: null,
    stepTimeS: null,
    spent: null,
    health: { progress: "ok", stability: "ok", performance: "ok", failures: "ok" },
    color: 1,
    tags: [],
    createdAt: "2026-11-21T12:00:00Z",
    startedAt: null,
    endedAt: null,
    lastPointAt: null,
    ...rest,
  };
}
const reward = (last: number) => ({ last, steps: [1], values: [last] });
const runs = [
  run("fresh", { reward: reward(0.2), createdAt: "2026-11-21T13:00:00Z" }),
  run("drifting", {
    health: { progress: "ok", stability: "warn", performance: "ok", failures: "ok" },
    reward: reward(0.7),
  }),
  run("broken", { status: "failed", tags: ["smoke"] }),
  run("done", {
    status: "succeeded",
    health: { progress: "warn", stability: "ok", performance: "ok", failures: "ok" },
  }),
];
const wish = { view: "all", sort: "started", isDescending: true } as const;
const names = (list: RunSummary[]) => list.map(({ name }) => name);

test("views count what they show", () => {
  expect(countViews(runs)).toEqual({ all: 4, active: 2, look: 3, ended: 2 });
  expect(names(prepareRuns(runs, { ...wish, view: "look" })).sort()).toEqual([
    "broken",
    "done",
    "drifting",
  ]);
});

test("a run without the value stands last in both directions", () => {
  expect(names(prepareRuns(runs, { ...wish, sort: "reward" })).slice(0, 2)).toEqual([
    "drifting",
    "fresh",
  ]);
  expect(
    names(prepareRuns(runs, { ...wish, sort: "reward", isDescending: false })).slice(0, 2),
  ).toEqual(["fresh", "drifting"]);
});

test("newest first by default", () => {
  expect(names(prepareRuns(runs, wish))[0]).toBe("fresh");
});
