import { expect, it } from "vitest";
import { parseStepAxes, stepsOnAxes } from "#wandb/step-axes.ts";

/** As wandb 0.31 sends it for slime's definitions and one more with `step_sync` and a summary. */
const CONFIG = {
  _wandb: {
    value: {
      m: [
        { "1": "train/step", "6": [3], "7": [] },
        { "1": "rollout/step", "6": [3], "7": [] },
        { "7": [2], "1": "acc", "5": 1, "6": [1, 3] },
        { "2": "perf/*", "5": 2, "6": [1], "7": [] },
        { "2": "train/*", "5": 1, "6": [1], "7": [] },
        { "2": "*", "5": 2, "6": [1], "7": [] },
      ],
    },
  },
};

it("reads the client's definitions", () => {
  expect(parseStepAxes(CONFIG)).toEqual([
    { name: "acc", step: "train/step" },
    { name: "perf/*", step: "rollout/step" },
    { name: "train/*", step: "train/step" },
    { name: "*", step: "rollout/step" },
  ]);
  expect(parseStepAxes({ lr: { value: 1 } })).toBeNull();
});

const axes = parseStepAxes(CONFIG) ?? [];
it.each([
  ["acc", { "train/step": 7, "rollout/step": 3 }, 7],
  ["perf/time", { "rollout/step": 3 }, 3],
  ["train/loss", { "train/step": 7 }, 7],
  ["train/step", { "train/step": 7 }, 7],
  ["anything", { "rollout/step": 3 }, 3],
  ["train/loss", {}, null],
  ["train/loss", { "train/step": 0.5 }, null],
  ["train/loss", { "train/step": -1 }, null],
  ["train/loss", { "train/step": 2 ** 31 }, null],
])("%s of %j", (key, line, step) => {
  expect(stepsOnAxes(line, axes)(key)).toBe(step);
});

it.each([
  ["train/loss", { "train/step": 7, "rollout/step": 3 }, 7],
  ["loss", { step: 4 }, 4],
  ["train/loss", { "train/global_step": 9 }, 9],
  ["perf/time", { "rollout/step": 3 }, 3],
  ["perf/time", { "train/step": 7, "rollout/step": 3 }, null],
  ["loss", { loss: 1 }, null],
])("without definitions: %s of %j", (key, line, step) => {
  expect(stepsOnAxes(line, [])(key)).toBe(step);
});

it("a line of 20,000 keys is quick", () => {
  const line = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`many/${i}`, i]));
  const startedMs = performance.now();
  for (const steps of [stepsOnAxes(line, []), stepsOnAxes(line, axes)])
    for (const key of Object.keys(line)) steps(key);
  expect(performance.now() - startedMs).toBeLessThan(2000);
});
