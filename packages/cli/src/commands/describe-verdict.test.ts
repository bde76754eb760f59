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
  findings: [],
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

test("earlier findings follow, newest first, without those that are on now", () => {
  const finding = {
    ...{
      sign: "reward-drop",
      level: "warn" as const,
      title: "Reward fell 0.51 → 0.18 at step 120",
    },
    ...{ detail: "Look for what changed.", metricKey: null, fromStep: 120, toStep: 124 },
    ...{ fromAt: "2026-11-25T10:00:00.000Z", toAt: "2026-11-25T10:04:00.000Z" },
  };
  const spike = { ...finding, sign: "kl-spike", title: "KL of the update spiked", fromStep: 200 };
  const now = { ...spike, sign: "stall", toStep: null };
  const advisory = {
    ...{ id: "stall", level: "bad" as const, title: "No news", detail: "", tier: "alarm" as const },
    ...{ sinceStep: null, untilStep: null, metricKey: null, links: [] },
  };
  const lines = describeVerdict({
    ...VERDICT,
    ...{ advisories: [advisory], start: [], findings: [finding, { ...spike, toStep: 203 }, now] },
  });
  expect(lines.slice(-3)).toEqual([
    "earlier findings: 2",
    "  warn: KL of the update spiked from step 200, recovered by step 203. Look for what changed.",
    "  warn: Reward fell 0.51 → 0.18 at step 120, recovered by step 124. Look for what changed.",
  ]);
});
