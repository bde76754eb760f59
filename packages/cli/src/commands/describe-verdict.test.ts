import type { Verdict } from "@liverl/contract/run";
import { expect, test } from "vitest";
import { describeVerdict } from "#commands/describe-verdict.ts";

const VERDICT: Verdict = {
  word: "Degraded",
  sentence: "Reward is flat.",
  ...{ progress: "warn", stability: "ok", performance: "ok", failures: "unknown" },
  advisories: [],
  steps: [0, 10],
  start: [
    { id: "ids", label: "Token ids agree", status: "pass", detail: "All do.", metricKey: null },
  ],
};

test("a verdict is told in words, with its steps and what the first steps show", () => {
  const lines = describeVerdict(VERDICT);
  expect(lines).toEqual([
    "Degraded: Reward is flat.",
    "progress warn, stability ok, performance ok, failures unknown",
    "over steps 0 to 10",
    "start, pass: Token ids agree. All do.",
  ]);
});

test("before the first step it names none", () => {
  expect(describeVerdict({ ...VERDICT, steps: null, start: [] })).toHaveLength(2);
});
