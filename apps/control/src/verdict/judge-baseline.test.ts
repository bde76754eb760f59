import { DEFAULT_THRESHOLDS } from "@liverl/contract/threshold";
import { describe, expect, test } from "vitest";
import { findingsOf, NO_FINDINGS, replayFindings } from "#findings/replay-findings.ts";
import { emptyPoints, pushPoint } from "#metrics/chunk-points.ts";
import { findDrift } from "#verdict/judge-baseline.ts";

const KL = "rollout_corr/kl";

/** Uniform and normal numbers of a seed (mulberry32), so that a failure can be repeated. */
function randomOf(seed: number) {
  let state = seed;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

const samples = (values: readonly number[]) =>
  values.map((value, i) => ({ step: i + 1, value, wallMs: i }));

/** Log-normal noise whose steps resemble their neighbours by `memory`. */
function noise(seed: number, count: number, spread: number, memory = 0): number[] {
  const { normal } = randomOf(seed);
  let last = normal();
  return Array.from({ length: count }, () => {
    last = memory * last + Math.sqrt(1 - memory ** 2) * normal();
    return Math.exp(spread * last);
  });
}

async function findingsIn(series: Record<string, readonly number[]>) {
  const signals = new Map(
    Object.entries(series).map(([key, values]) => {
      const points = emptyPoints();
      for (const [i, value] of values.entries())
        pushPoint(points, { step: i + 1, value, flag: 0, wallMs: i * 30_000, seq: i });
      return [key, points];
    }),
  );
  const judgedAs = { thresholds: DEFAULT_THRESHOLDS, isColocated: false, hasGpus: true };
  const state = await replayFindings({ signals, resumptions: [], judgedAs }, NO_FINDINGS);
  return findingsOf(state).map(({ sign, fromStep, toStep }) => ({ sign, fromStep, toStep }));
}

describe("drift from a run's own baseline", () => {
  test.each([
    [40, 0],
    [40, 0.1],
    [120, 0.1],
    [130, 0.2],
    [30, 0.05],
  ])(
    "3.0e-4 → 6.6e-4 over 18 steps after %i healthy ones with noise of %d is found while it rises",
    async (healthy, spread) => {
      const values = noise(healthy, healthy + 18, spread).map(
        (factor, i) => 3e-4 * factor * (1 + (1.2 * Math.max(0, i - healthy + 1)) / 18),
      );
      const found = await findingsIn({ [KL]: values });
      expect(found).toMatchObject([{ sign: "rollout-kl-drift", toStep: null }]);
      expect(found[0]?.fromStep).toBeGreaterThan(healthy - 8);
      expect(found[0]?.fromStep).toBeLessThan(healthy + 12);
    },
  );

  test("a slow rise over 60 steps is found", async () => {
    const values = noise(3, 200, 0.1).map(
      (factor, i) => 3e-4 * factor * (1 + 1.2 * Math.min(1, Math.max(0, i - 100) / 60)),
    );
    expect(await findingsIn({ [KL]: values.slice(0, 165) })).toMatchObject([
      { sign: "rollout-kl-drift", toStep: null },
    ]);
  });

  test("a drift that is back is a finding with an end", async () => {
    const shape = (i: number) => (i < 60 ? 1 : i < 80 ? 1 + (i - 60) / 12 : i < 90 ? 2.6 : 1);
    const values = noise(1, 150, 0.08).map((factor, i) => 3e-4 * factor * shape(i));
    const found = await findingsIn({ [KL]: values });
    expect(found).toHaveLength(1);
    expect(found[0]?.toStep).toBeGreaterThan(90);
    expect(found[0]?.toStep).toBeLessThan(102);
  });

  const flat = noise(5, 160, 0.01).map((factor) => 0.4 * factor);
  const ramp = (from: number, to: number, seed: number) =>
    noise(seed, 160, 0.05).map(
      (factor, i) =>
        factor * from * (1 + (to / from - 1) * Math.min(1, Math.max(0, (i - 100) / 40))),
    );
  test.each<[sign: string, key: string, from: number, to: number]>([
    ["entropy-drift", "actor/entropy", 0.4, 0.75],
    ["kl-rise", "actor/ppo_kl", 0.004, 0.012],
    ["length-drift", "response_length/mean", 900, 1_600],
    ["length-drift", "response_length/mean", 900, 450],
    ["step-time-drift", "timing_s/step", 500, 900],
  ])("%s: %s from %d to %d within 40 steps", async (sign, key, from, to) => {
    const found = await findingsIn({ [key]: ramp(from, to, 7), "critic/rewards/mean": flat });
    expect(found.map((one) => one.sign)).toEqual([sign]);
  });

  test("longer responses that earn more are no drift", async () => {
    const reward = flat.map((value, i) => value + Math.max(0, i - 100) / 100);
    const found = await findingsIn({
      ...{ "response_length/mean": ramp(900, 1_600, 7), "critic/rewards/mean": reward },
    });
    expect(found).toEqual([]);
  });

  test.each<[what: string, values: (seed: number) => number[]]>([
    ["noise of 10 %", (seed) => noise(seed, 240, 0.1)],
    ["noise of 30 %", (seed) => noise(seed, 240, 0.3)],
    ["noise of 20 % with memory", (seed) => noise(seed, 240, 0.2, 0.5)],
    ["noise of 10 % with a long memory", (seed) => noise(seed, 240, 0.1, 0.8)],
    [
      "a warm-up of 8 steps",
      (seed) => noise(seed, 240, 0.15).map((one, i) => one * Math.min(1, 0.2 + i / 10)),
    ],
    [
      "outliers in 3 % of the steps",
      (seed) => {
        const { uniform } = randomOf(seed + 10_000);
        return noise(seed, 240, 0.15).map((one) => (uniform() < 0.03 ? 5 * one : one));
      },
    ],
    [
      "a fall to a third over 240 steps",
      (seed) => noise(seed, 240, 0.1).map((one, i) => one * Math.exp(-i / 220)),
    ],
  ])("of 200 healthy series at most 2 raise it: %s", (what, values) => {
    const isFalse = (seed: number) => {
      const series = samples(values(seed));
      const sides = what.startsWith("a fall") ? (["up"] as const) : (["up", "down"] as const);
      return series.some(
        (_, i) =>
          i % 4 === 0 &&
          sides.some((side) => findDrift(series.slice(0, i + 1), 1.5, side) !== null),
      );
    };
    const raised = Array.from({ length: 200 }, (_, seed) => seed).filter(isFalse);
    expect(raised.length).toBeLessThanOrEqual(2);
  });

  test("too few steps, constants and zeros raise nothing", () => {
    expect(findDrift([], 1.5, "up")).toBeNull();
    expect(findDrift(samples([1, 2, 4, 8, 16, 32, 64, 128]), 1.5, "up")).toBeNull();
    expect(findDrift(samples(Array(100).fill(1)), 1.5, "up")).toBeNull();
    expect(findDrift(samples(Array(100).fill(0)), 1.5, "up")).toBeNull();
  });
});
