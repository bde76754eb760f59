import { expect, test } from "vitest";
import { buildHeadlines } from "#steps/build-headlines.ts";

test("what a run's filter kept out of a step stands among its numbers, with the reasons", () => {
  const metrics = [
    { key: "trajectory_filter/dropped/timeout", value: 3 },
    { key: "trajectory_filter/dropped/env_setup_failed", value: 0 },
    { key: "trajectory_filter/dropped/no_reward", value: 1 },
    { key: "trajectory_filter/invalid_ratio", value: 0.25 },
  ];
  const found = (given: typeof metrics) =>
    buildHeadlines([], new Map(), 4, { metrics: given, untrained: null }).find(
      ({ id }) => id === "filtered",
    );
  expect(found(metrics)).toMatchObject({ value: 4, of: null, hint: "timeout 3, no_reward 1" });
  expect(found(metrics.slice(3))).toBeUndefined();
});
