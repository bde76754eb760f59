import { describeFinding } from "@liverl/contract/run";
import { DEFAULT_THRESHOLDS } from "@liverl/contract/threshold";
import { describe, expect, test } from "vitest";
import {
  type FindingState,
  findingsOf,
  NO_FINDINGS,
  type RunHistory,
  replayFindings,
} from "#findings/replay-findings.ts";
import { emptyPoints, pushPoint } from "#metrics/chunk-points.ts";
import type { Resumption } from "#metrics/is-on-line.ts";

const REWARD = "critic/rewards/mean";
const GRAD = "actor/grad_norm";
const PROBS = "training/rollout_probs_diff_mean";
const KL = "rollout_corr/kl";
type Value = number | null;
const START_MS = 1_760_000_000_000;
const STEP_MS = 30_000;

/** Steps 1, 2, … half a minute apart; null is NaN. */
function historyOf(
  series: Record<string, readonly Value[]>,
  resumptions: readonly Resumption[] = [],
  atMs = (step: number) => START_MS + step * STEP_MS,
): RunHistory {
  const signals = new Map(
    Object.entries(series).map(([key, values]) => {
      const points = emptyPoints();
      for (const [i, value] of values.entries())
        pushPoint(points, {
          ...{ step: i + 1, value, flag: value === null ? 1 : 0 },
          ...{ wallMs: atMs(i + 1), seq: i },
        });
      return [key, points];
    }),
  );
  const judgedAs = { thresholds: DEFAULT_THRESHOLDS, isColocated: false, hasGpus: true };
  return { signals, resumptions, judgedAs };
}

const cut = (history: RunHistory, steps: number): RunHistory => ({
  ...history,
  signals: new Map(
    [...history.signals].map(([key, { step, value, flag, wallMs, seq }]) => {
      const to = step.filter((one) => one <= steps).length;
      return [
        key,
        {
          ...{ step: step.slice(0, to), value: value.slice(0, to), flag: flag.slice(0, to) },
          ...{ wallMs: wallMs.slice(0, to), seq: seq.slice(0, to) },
        },
      ];
    }),
  ),
});

const foundIn = async (history: RunHistory) =>
  findingsOf(await replayFindings(history, NO_FINDINGS));
const brief = async (history: RunHistory) =>
  (await foundIn(history)).map(({ sign, fromStep, toStep }) => [sign, fromStep, toStep]);

const noisy = (count: number, value: number, spread = 0.01) =>
  Array.from({ length: count }, (_, i) => value + spread * Math.sin(i * 12.9898) * 0.5);
const rising = (count: number) => Array.from({ length: count }, (_, i) => 0.2 + (0.3 * i) / count);

/** 300 steps whose reward collapses at 120 and is back at 124. */
const collapse = rising(300).map((value, i) => (i >= 119 && i < 123 ? 0.18 : value + 0.2));

describe("replayFindings", () => {
  test("a collapse at step 120 is known at step 300", async () => {
    const found = await foundIn(historyOf({ [REWARD]: collapse }));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ sign: "reward-drop", fromStep: 120, toStep: 124 });
    expect(found[0] && describeFinding(found[0])).toBe(
      "Reward fell 0.516 → 0.180 at step 120, recovered by step 124",
    );
    expect(found[0]?.fromAt).toBe(new Date(START_MS + 120 * STEP_MS).toISOString());
  });

  test("NaN at steps 41 to 43 and infinity at step 60 are two findings", async () => {
    const values: Value[] = noisy(80, 0.5);
    for (const step of [41, 42, 43, 60]) values[step - 1] = null;
    expect(await brief(historyOf({ [GRAD]: values }))).toEqual([
      ["grad-norm-nan", 41, 44],
      ["grad-norm-nan", 60, 61],
    ]);
  });

  test.each([
    [
      "engine and trainer disagree",
      {
        [PROBS]: [
          ...noisy(30, 0.003, 0.001),
          ...noisy(12, 0.008, 0.001),
          ...noisy(30, 0.003, 0.001),
        ],
      },
      ["rollout-mismatch", 31],
    ],
    [
      "entropy explodes",
      { "actor/entropy": [...noisy(30, 0.5), ...noisy(10, 1.6), ...noisy(40, 0.5)] },
      ["entropy-explosion", 31],
    ],
    [
      "a spike of the gradient",
      { [GRAD]: [...noisy(30, 0.5), 40, ...noisy(40, 0.5)] },
      ["grad-norm-spike", 31],
    ],
    [
      "rollouts without a reward",
      {
        "rollout/invalid_ratio": [
          ...Array(30).fill(0),
          ...Array(6).fill(0.4),
          ...Array(40).fill(0),
        ],
      },
      ["invalid-rollouts", 31],
    ],
    [
      "a broken weight sync",
      { [KL]: [...noisy(30, 0.001, 0.0001), 7, 7, 7, ...noisy(40, 0.001, 0.0001)] },
      ["weight-sync", 31],
    ],
  ])("remembers that %s", async (_, series, [sign, from]) => {
    const found = await brief(historyOf(series as Record<string, Value[]>));
    expect(found.map(([sign, from]) => [sign, from])).toEqual([[sign, from]]);
    expect(found[0]?.[2]).toBeGreaterThan(31);
    expect(found[0]?.[2]).toBeLessThan(50);
  });

  test("a sign that comes and goes within a few steps is one finding", async () => {
    const values = [...noisy(30, 0.5), ...[9, 0.5, 0.5, 9, 0.5, 0.5, 9], ...noisy(30, 0.5)];
    expect((await brief(historyOf({ [GRAD]: values }))).length).toBe(1);
    const apart = [...noisy(30, 0.5), 9, ...noisy(30, 0.5), 9, ...noisy(30, 0.5)];
    expect((await brief(historyOf({ [GRAD]: apart }))).length).toBe(2);
  });

  test("one step at a time finds the same as all at once, from any step on", async () => {
    const values: Value[] = noisy(150, 0.5);
    for (const step of [41, 42, 43, 60]) values[step - 1] = null;
    const history = historyOf({ [REWARD]: collapse.slice(0, 150), [GRAD]: values });
    const whole = await foundIn(history);
    expect(whole.length).toBe(3);
    let state: FindingState = NO_FINDINGS;
    for (let step = 1; step <= 150; step++) state = await replayFindings(cut(history, step), state);
    expect(findingsOf(state)).toEqual(whole);
    const kept: FindingState[] = [];
    await replayFindings(history, NO_FINDINGS, (one) => kept.push(one));
    for (const from of kept) expect(findingsOf(await replayFindings(history, from))).toEqual(whole);
  });

  test("a sign that lasts has no end, and healthy series have no finding", async () => {
    const lasting = [...noisy(30, 0.5), ...noisy(20, 0.1)];
    expect(await brief(historyOf({ [REWARD]: lasting }))).toEqual([["reward-drop", 31, null]]);
    expect(await brief(historyOf({ [REWARD]: rising(300), [GRAD]: noisy(300, 0.5) }))).toEqual([]);
  });

  test("hours without a metric between two steps are a stall, but not those before a resume", async () => {
    const atMs = (step: number) => START_MS + step * STEP_MS + (step > 40 ? 3 * 3_600_000 : 0);
    const series = { [REWARD]: rising(80), "timing_s/step": noisy(80, 30) };
    expect(await brief(historyOf(series, [], atMs))).toEqual([["stall", 40, 41]]);
    const resumed = [{ sinceMs: atMs(41) - 1_000, fromStep: 40 }];
    expect(await brief(historyOf(series, resumed, atMs))).toEqual([]);
  });

  test("a resumed run is judged by what each attempt logged", async () => {
    const resumed = [{ sinceMs: START_MS + 150.5 * STEP_MS, fromStep: 150 }];
    const found = await brief(historyOf({ [REWARD]: collapse }, resumed));
    expect(found).toEqual([["reward-drop", 120, 124]]);
  });
});
