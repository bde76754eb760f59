import { COMPUTED_KEYS } from "@liverl/contract/metric";
import { DEFAULT_THRESHOLDS, type ThresholdId } from "@liverl/contract/threshold";
import { describe, expect, test } from "vitest";
import { emptyPoints, pushPoint } from "#metrics/chunk-points.ts";
import type { RunEvidence } from "#verdict/evidence.ts";
import { judgeRun } from "#verdict/judge-run.ts";

const NOW = 1_000_000_000;
type Values = (number | null)[];
/** Steps 1, 2, …, a second apart, the newest now. */
const points = (values: Values) => {
  const list = emptyPoints();
  for (const [i, value] of values.entries()) {
    const wallMs = NOW - 1_000 * (values.length - 1 - i);
    pushPoint(list, { step: i + 1, value, flag: value === null ? 1 : 0, wallMs, seq: i });
  }
  return list;
};
const steady = (value: number, count = 20) =>
  Array.from({ length: count }, (_, i) => value + (i % 3) * 0.001);

function judge(signals: Record<string, Values>, change: Partial<RunEvidence> = {}) {
  const verdict = judgeRun({
    status: "running",
    statusReason: null,
    signals: new Map(Object.entries(signals).map(([key, values]) => [key, points(values)])),
    thresholds: DEFAULT_THRESHOLDS,
    lastPointMs: NOW,
    attemptSinceMs: null,
    isColocated: false,
    hasGpus: true,
    nowMs: NOW,
    crashes: [],
    ...change,
  });
  return { ...verdict, ids: verdict.advisories.map((advisory) => advisory.id) };
}
const REWARD = "critic/rewards/mean";
const PROBS = "training/rollout_probs_diff_mean";
const LENGTH = "response_length/mean";
const rising = (count: number, from: number, to: number) =>
  Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));

/** Falls to 1/e in so many steps. */
const decaying = (count: number, steps: number) =>
  Array.from({ length: count }, (_, i) => Math.exp(-i / steps));

describe("judgeRun", () => {
  test("a run without a point is unknown, one that learns is healthy", () => {
    expect(judge({}).word).toBe("Unknown");
    const healthy = judge({
      [REWARD]: Array.from({ length: 20 }, (_, i) => i / 20),
      "actor/grad_norm": steady(0.5),
      "timing_s/step": steady(1),
    });
    expect(healthy).toMatchObject({ word: "Healthy", progress: "ok", stability: "ok", ids: [] });
    expect(healthy.sentence).toMatch(/^Training reward 0\.900 over the last 3 steps, 0\.050/);
    expect(healthy.steps).toEqual([1, 20]);
  });

  // The last column: the step at which it began, null where it was so from the first.
  test.each<[string, Record<string, Values>, "warn" | "bad", number | null]>([
    ["rollout-mismatch", { [PROBS]: [0.02, 0.02, 0.02] }, "bad", null],
    ["rollout-mismatch", { [PROBS]: [0.004, 0.004, 0.007, 0.008] }, "warn", 3],
    ["rollout-kl", { "rollout_corr/kl": [0, -0.2, 0.2] }, "warn", 2],
    ["is-mean", { "rollout_corr/rollout_is_mean": [1, 1, 2.1, 2.2] }, "warn", 3],
    ["is-mean", { "rollout_corr/rollout_is_mean": [1, 1, 0.4, 0.3] }, "warn", 3],
    ["is-std", { "rollout_corr/rollout_is_std": [0.2, 1.5, 1.5] }, "warn", 2],
    ["is-ess", { "rollout_corr/rollout_is_eff_sample_size": [0.9, 0.2, 0.2] }, "warn", 2],
    ["chi2-token", { "rollout_corr/chi2_token": [0.1, 1.2, 1.2] }, "warn", 2],
    ["weight-sync", { [PROBS]: [...steady(0.001, 6), 0.3, 0.29] }, "bad", 7],
    ["weight-sync", { [PROBS]: [...steady(0.001, 6), 0.3, 0.001] }, "warn", 7],
    // Broken weights sample noise: every token is unlikely, to engine and trainer, so that only the KL tells.
    [
      "weight-sync",
      { [PROBS]: [...steady(0, 6), 0.0023, 0.0022], "rollout_corr/kl": [...steady(0, 6), 7, 7] },
      "bad",
      7,
    ],
    ["weight-sync", { "actor/rollout_corr/kl": [...steady(0.01, 6), -7, -6.9] }, "bad", 7],
    ["entropy-collapse", { "actor/entropy": [1, 1, 1, 0.5, 0.1, 0.1, 0.1] }, "warn", 5],
    ["rollout-kl", { "rollout_corr/kl": [0, 0, 0.2, 0.2] }, "warn", 3],
    ["k3-kl", { "rollout_corr/k3_kl": [0.01, 0.01, 2, 2] }, "warn", 3],
    ["log-ppl-diff", { "rollout_corr/log_ppl_abs_diff": [0.01, 3, 3] }, "warn", 2],
    ["aborted-answers", { "response/aborted_ratio": [0, 0.4, 0.4, 0.4] }, "warn", 2],
    ["aborted-answers", { "response/aborted_ratio": [0, 0.6, 0.6, 0.6] }, "bad", 2],
    [
      "entropy-slope",
      { "actor/entropy": decaying(24, 20), [REWARD]: steady(0.3, 24) },
      "warn",
      null,
    ],
    ["entropy-explosion", { "actor/entropy": [...steady(0.5, 8), 1.5, 1.6] }, "warn", 9],
    ["entropy-explosion", { "actor/entropy": [...steady(0.5, 8), 1.5, 2.6] }, "bad", 9],
    ["kl-nan", { "actor/ppo_kl": [0.01, null] }, "bad", 2],
    ["kl-spike", { "actor/ppo_kl": [...steady(0.01), 0.5] }, "warn", 21],
    ["kl-drift", { "actor/ppo_kl": rising(20, 0.01, 0.1), [REWARD]: steady(0.3) }, "warn", null],
    [
      "kl-drift",
      { "actor/ppo_kl": rising(20, 0.01, 0.1), [REWARD]: rising(20, 0.5, 0.3) },
      "bad",
      null,
    ],
    ["grad-norm-spike", { "actor/grad_norm": [...steady(0.5), 9] }, "warn", 21],
    ["grad-norm-nan", { "actor/grad_norm": [0.5, null, 0.5] }, "bad", 2],
    ["grad-norm-nan", { "actor/grad_norm": [0.5, null, ...steady(0.5, 8)] }, "warn", 2],
    ["not-finite", { [REWARD]: [...rising(17, 0.1, 0.5), null, null, null] }, "bad", 18],
    ["not-finite", { "actor/entropy": [1, 1, 1, null] }, "bad", 4],
    ["not-finite", { "actor/pg_loss": [0.1, 0.1, null] }, "bad", 3],
    ["not-finite", { [PROBS]: [0.001, 0.001, null] }, "bad", 3],
    ["not-finite", { "val-core/x/acc/mean@1": [0.1, null] }, "bad", 2],
    ["kl-spike", { "actor/ppo_kl": [...Array(29).fill(0), 5] }, "warn", 30],
    ["grad-norm-spike", { "actor/grad_norm": [...Array(29).fill(1), 900] }, "warn", 30],
    [
      "zero-std-groups",
      {
        [COMPUTED_KEYS.zeroStd]: [0.1, ...steady(0.6, 5)],
        [COMPUTED_KEYS.groupsNone]: steady(0.6, 6),
        [COMPUTED_KEYS.groupsAll]: steady(0, 6),
      },
      "warn",
      2,
    ],
    ["routing-coverage", { [COMPUTED_KEYS.routingCoverage]: [1, 0.9] }, "warn", null],
    ["agent-errors", { [COMPUTED_KEYS.agentErrors]: [0.1, 0.1, 0.1] }, "warn", null],
    ["agent-errors", { [COMPUTED_KEYS.agentErrors]: [0, 1, 0.9, 0.8] }, "bad", 2],
    ["invalid-rollouts", { [COMPUTED_KEYS.invalidRatio]: [0, 0.1, 0.1, 0.1] }, "warn", 2],
    ["integrity", { [COMPUTED_KEYS.integrity]: [0, 0.1, 0.1, 0.1] }, "warn", 2],
    ["integrity", { [COMPUTED_KEYS.integrity]: [0, 0.5, 0.5, 0.5] }, "bad", 2],
    ["verifier-errors", { [COMPUTED_KEYS.verifierErrors]: [0, 0, 0, 0.3, 1, 1] }, "bad", 4],
    ["verifier-contradicts", { [COMPUTED_KEYS.contradicted]: [0, 0, 0.1] }, "warn", 3],
    ["verifier-contradicts", { [COMPUTED_KEYS.contradicted]: [0, 0.7, 0.6] }, "bad", 2],
    // It is always against before, so the first value may be the first that is bad.
    ["verifier-contradicts", { [COMPUTED_KEYS.contradicted]: [0.5] }, "bad", 1],
    ["verifier-zero", { [COMPUTED_KEYS.rewardMean]: [...steady(0.5, 5), 0] }, "bad", 6],
    ["verifier-zero", { [REWARD]: [...steady(0.15, 5), 0, 0] }, "bad", 6],
    ["verifier-all", { [COMPUTED_KEYS.groupsAll]: [0, 0.1, 0.1, 1, 1] }, "bad", 4],
    ["task-jump", { [COMPUTED_KEYS.taskJumps]: [0, 0, 0.8, 0.9, 1] }, "warn", 3],
    ["truncated", { "response_length/clip_ratio": [0.1, 0.3, 0.4, 0.5] }, "warn", 2],
    ["length-explosion", { [LENGTH]: [...steady(100, 12), 300, 320, 310] }, "warn", 13],
    [
      "staleness",
      { "training/off_policy/trajectory_staleness_worst/max": [1, 2, 9, 10] },
      "warn",
      3,
    ],
    ["reward-flat", { [REWARD]: steady(0.1, 31) }, "warn", null],
    ["held-out-falls", { "val-core/x/acc/mean@1": [0.12, 0.05, 0] }, "warn", null],
    [
      "reward-hacking",
      {
        [REWARD]: rising(12, 0.2, 0.8),
        "val-core/x/acc/mean@1": [0.5, ...Array(10).fill(0.4), 0.3],
      },
      "bad",
      null,
    ],
    ["reward-drop", { [REWARD]: [...steady(0.8, 10), ...steady(0.3, 10)] }, "bad", 11],
    // It was rising: what it gained in ten steps is no noise.
    [
      "reward-drop",
      { [REWARD]: [0.27, 0.33, 0.34, 0.48, 0.5, 0.55, 0.63, 0.83, 0.92, 0.94, 0.2] },
      "bad",
      11,
    ],
    ["reward-drop", { [REWARD]: [...steady(0.6, 8), 0.3, ...steady(0.6, 8)] }, "warn", 9],
    ["reward-falls", { [REWARD]: rising(20, 0.8, 0.5) }, "warn", null],
  ])("sees %s in %j", (id, signals, level, sinceStep) => {
    const verdict = judge(signals);
    expect(verdict.advisories).toContainEqual(expect.objectContaining({ id, level, sinceStep }));
    expect(verdict.word).toBe("Degraded");
    const found = verdict.advisories.find((advisory) => advisory.id === id);
    if (sinceStep === null) return;
    expect(found?.title).toContain(`step ${sinceStep}`);
    expect(found?.links.map(({ href }) => href)).toContain(`steps/${sinceStep}`);
  });

  test.each<Record<string, Values>>([
    { [PROBS]: [0.004, 0.004, 0.004] },
    // One odd step is no level, be it the newest, and neither are fewer than three.
    { [PROBS]: [...steady(0.001, 4), 0.0095] },
    { "rollout_corr/kl": [...steady(0.001), 0.3] },
    { "rollout_corr/kl": [0.001, 0.3] },
    { "training/off_policy/trajectory_staleness_worst/max": [...steady(1), 40] },
    // Noise over a constant, and the first gradient after steps that had none.
    { "actor/ppo_kl": [...Array(29).fill(0), 0.004] },
    { "actor/grad_norm": [...Array(29).fill(1), 1.2] },
    // Of a run that learns: not twice what it was.
    {
      "actor/grad_norm": [0.092, 0.093, 0.105, 0.089, 0.099, 0.097, 0.11, 0.095, 0.09, 0.1, 0.163],
    },
    { "actor/grad_norm": [...Array(29).fill(0), 0.5] },
    // Of engines that tell no version nothing is known, which is no fault.
    { "training/off_policy/trajectory_staleness_worst/max": [null, null, null] },
    // It grows, but no sync broke it.
    { [PROBS]: rising(12, 0.001, 0.0049) },
    { "rollout_corr/kl": [0.05, 0.05, 0.05] },
    // Off-policy from one step to the next, and not yet beyond what is normal.
    { "rollout_corr/kl": [...steady(0.001, 8), 0.09] },
    { [COMPUTED_KEYS.contradicted]: [0.04, 0.05] },
    { "actor/entropy": [1, 1, 1, 0.9, 0.5, 0.4, 0.4] },
    { "actor/entropy": [...steady(0.5, 8), 1.5, 0.5, 0.5] },
    // Entropy that buys reward, that falls slowly, or that nobody knows the reward of.
    { "actor/entropy": decaying(24, 20), [REWARD]: rising(24, 0.2, 0.7) },
    { "actor/entropy": decaying(24, 80), [REWARD]: rising(24, 0.3, 0.33) },
    { "actor/entropy": decaying(24, 20) },
    { "rollout_corr/k3_kl": [0.05, 0.05, 0.05], "response/aborted_ratio": [0, 0.04, 0.04] },
    // Little entropy is left because the task is solved.
    { "actor/entropy": [1, 1, 1, 0.5, 0.1, 0.1, 0.1], [REWARD]: steady(0.97) },
    { "actor/grad_norm": [...steady(0.5), 0.503] },
    // Many deviations of a spread that is almost none.
    { "actor/ppo_kl": [...steady(0.0001), 0.015] },
    { "actor/ppo_kl": rising(20, 0.01, 0.1), [REWARD]: rising(20, 0.2, 0.6) },
    { [COMPUTED_KEYS.invalidRatio]: [0, 0.04, 0.04] },
    // Nothing was solved before either.
    { [COMPUTED_KEYS.rewardMean]: [0, 0, 0, 0, 0] },
    { [COMPUTED_KEYS.rewardMean]: [...steady(0.12, 5), 0] },
    { [COMPUTED_KEYS.groupsAll]: [0.5, 0.8, 0.9, 1, 1], [REWARD]: [0.5, 0.8, 0.9, 1, 1] },
    // Longer answers that earn more.
    {
      [LENGTH]: [...steady(100, 12), 300, 320, 310],
      [REWARD]: [...steady(0.3, 12), 0.6, 0.6, 0.6],
    },
    { [REWARD]: steady(0.5, 10) },
    { [REWARD]: steady(0.95, 40) },
    { [REWARD]: Array.from({ length: 40 }, (_, i) => 0.3 + i / 200) },
    // One step within the noise of those before it.
    { [REWARD]: [0.5, 0.3, 0.6, 0.4, 0.7, 0.3, 0.6, 0.35] },
    // It was back thirty steps ago.
    { [REWARD]: [...steady(0.6, 8), 0.3, ...rising(30, 0.6, 0.8)] },
    { "val-core/x/acc/mean@1": [0.5, 0.6, 0.48] },
  ])("says nothing of %j", (signals) => {
    expect(judge(signals).ids).toEqual([]);
  });

  test("what a broken sync explains is not said again", () => {
    const verdict = judge({
      [PROBS]: [...steady(0.001, 8), 0.3, 0.3],
      "rollout_corr/kl": [...steady(0.001, 8), 2, 2],
      [COMPUTED_KEYS.rewardMean]: [...steady(0.6, 8), 0, 0],
      [REWARD]: [...steady(0.6, 8), 0, 0],
    });
    expect(verdict.ids).toEqual(["weight-sync"]);
    expect(verdict).toMatchObject({ progress: "bad", stability: "bad", failures: "bad" });
    expect(verdict.sentence).toMatch(
      /^Weights of engine and trainer part at step 9; training reward/,
    );
  });

  test("a broken sync names the weights and its log", () => {
    const signals = { [PROBS]: [...steady(0.001, 6), 0.3, 0.3] };
    const versions = { [COMPUTED_KEYS.weightVersion]: [0, 1, 2, 3, 4, 5, 6, 7] };
    const [advisory] = judge({ ...signals, ...versions }).advisories;
    expect(advisory?.title).toBe("Weights of engine and trainer part at step 7 (weights v6)");
    const before = new Date(NOW - 2_000).toISOString();
    expect(advisory?.links).toContainEqual({
      label: "Log of the sync",
      href: `logs?src=engine-0&t=${encodeURIComponent(before)}`,
    });
  });

  test("a verifier that changed its mind explains the reward, and an evaluation's link opens it", () => {
    const verdict = judge({
      [REWARD]: [...steady(0.8, 10), 0.2, 0.2],
      [COMPUTED_KEYS.contradictedEval]: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0.6],
      "val-core/x/acc/mean@1": [0.5, 0.6, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.2],
    });
    expect(verdict.ids).toEqual(["verifier-contradicts"]);
    expect(verdict.advisories[0]).toMatchObject({ sinceStep: 10, level: "bad" });
    expect(verdict.advisories[0]?.links.slice(0, 2)).toEqual([
      { label: "Evaluation of step 10", href: "steps/10?mode=eval" },
      { label: "Its rollouts", href: "rollouts?f=mode+%3D+eval+and+step+%3D+10" },
    ]);
  });

  test("a shift of an earlier attempt is not one of this", () => {
    const signals = { [PROBS]: [...steady(0.001, 6), 0.3, 0.3, 0.001, 0.001] };
    expect(judge(signals).ids).toEqual(["weight-sync"]);
    expect(judge(signals, { attemptSinceMs: NOW - 1_500 }).ids).toEqual([]);
  });

  test("links lead to the step, its chart and the log of that second", () => {
    const [advisory] = judge({ [PROBS]: [...steady(0.001, 6), 0.3] }).advisories;
    const links = Object.fromEntries(advisory?.links.map(({ label, href }) => [label, href]) ?? []);
    expect(links).toMatchObject({
      "Step 7": "steps/7",
      Chart: `metrics?q=${encodeURIComponent("^training/rollout_probs_diff_mean$")}&r=0:27`,
    });
    const log = Object.entries(links).find(([label]) => label.startsWith("Log at"));
    expect(log?.[1]).toBe(`logs?t=${encodeURIComponent(new Date(NOW).toISOString())}`);
  });

  test("what is not finite is named with its key and step, all in one", () => {
    const verdict = judge({
      [REWARD]: rising(20, 0.1, 0.9),
      "actor/entropy": [...steady(1, 17), null, null, null],
      "actor/pg_loss": [...steady(0.1, 18), null, null],
    });
    expect(verdict.ids).toEqual(["not-finite"]);
    expect(verdict.advisories[0]).toMatchObject({
      title: "actor/entropy is not finite at step 18",
      metricKey: "actor/entropy",
      detail: expect.stringMatching(
        /^actor\/entropy was NaN at step 18 and at 2 steps after it; actor\/pg_loss was NaN at step 19/,
      ),
    });
  });

  test("what was not finite long ago, or in an earlier attempt, is history", () => {
    const signals = {
      "actor/entropy": [1, null, ...steady(1, 30)],
      [REWARD]: rising(32, 0.1, 0.9),
    };
    expect(judge(signals).ids).toEqual([]);
    const early = { "actor/entropy": [1, null, 1, 1] };
    expect(judge(early).ids).toEqual(["not-finite"]);
    expect(judge(early, { attemptSinceMs: NOW - 1_500 }).ids).toEqual([]);
  });

  test("a share's links lead to the newest step that is over its bound", () => {
    const [advisory] = judge({
      [COMPUTED_KEYS.invalidRatio]: [...steady(0, 9), 0.3, 0, 0],
    }).advisories;
    const hrefs = advisory?.links.map(({ href }) => href) ?? [];
    expect(hrefs).toContain("steps/10");
    expect(hrefs).toContain("rollouts?f=status+%3D+failed+and+step+%3D+10");
    expect(hrefs.join()).not.toMatch(/step(s\/| = |\+%3D\+)12/);
  });

  describe("held-out rewards", () => {
    const learns = { [REWARD]: rising(12, 0.2, 0.8) };
    const evaluated = (rewards: Values, tasks: Values) =>
      judge({
        ...learns,
        "val-core/x/acc/mean@1": rewards,
        "val-aux/x/num_tasks": tasks,
      }).ids;
    const falling = [0.5, ...Array(10).fill(0.45), 0.375];
    test("that fall within what chance does on so few tasks are no sign", () => {
      expect(evaluated(falling, Array(12).fill(8))).toEqual([]);
      expect(evaluated([0.5, ...Array(10).fill(0.2), 0], Array(12).fill(8))).toEqual([
        "reward-hacking",
      ]);
      expect(evaluated(falling, Array(12).fill(512))).toEqual(["reward-hacking"]);
    });
    test("are not compared with a measure on another set of tasks", () => {
      const fewer = [256, ...Array(11).fill(64)];
      expect(evaluated([0.9, ...Array(11).fill(0.5)], fewer)).toEqual([]);
      expect(evaluated([0.9, 0.9, ...Array(10).fill(0.5)], fewer)).toEqual(["reward-hacking"]);
    });
    test("of a run that tells no count have to leave their own scatter", () => {
      const scatter = [0.5, 0.7, 0.4, 0.6, 0.3, 0.6, 0.4, 0.7, 0.5, 0.3, 0.6, 0.4];
      expect(judge({ ...learns, "val-core/x/acc/mean@1": scatter }).ids).toEqual([]);
    });
  });

  test("failures name their types, the most frequent first", () => {
    const verdict = judge({
      [COMPUTED_KEYS.invalidRatio]: [0, 0.1, 0.2, 0.3],
      "rollout/error/SandboxLostError": [1, 1, 2],
      "rollout/error/AgentTimeoutError": [1, 1, 1],
    });
    expect(verdict.advisories[0]?.detail).toContain("SandboxLostError (4), AgentTimeoutError (3)");
  });

  test("thresholds are the project's, and a bound that is off says nothing", () => {
    const set = (id: ThresholdId, warn: number | null, bad: number | null) => ({
      thresholds: { ...DEFAULT_THRESHOLDS, [id]: { warn, bad } },
    });
    const signals = { [PROBS]: [0.007, 0.007, 0.007] };
    expect(judge(signals, set("probs-diff", 0.008, 0.01)).ids).toEqual([]);
    expect(judge(signals, set("probs-diff", null, 0.006)).advisories[0]).toMatchObject({
      level: "bad",
    });
    expect(judge(signals, set("probs-diff", null, null)).ids).toEqual([]);
  });

  describe("advice", () => {
    const slow = {
      [COMPUTED_KEYS.slowest]: [4, 4, 4],
      [COMPUTED_KEYS.slowestS]: [8, 8, 8],
      "rollout/slowest/tool_s": [6, 6, 6],
      "rollout/slowest/generate_s": [2, 2, 2],
      "timing_s/step": [10, 10, 10],
    };
    const idle = {
      "fully_async/trainer/idle_ratio": [0.6, 0.6, 0.6],
      "fully_async/rollouter/idle_ratio": [0.1, 0.1, 0.1],
    };
    test.each<[string, Record<string, Values>]>([
      ["stragglers", slow],
      ["idle-imbalance", idle],
      ["mfu-low", { "perf/mfu/actor": [0.1, 0.1, 0.1] }],
      ["preemptions", { "timing_s/agent_loop/num_preempted/mean": [0, 0.5, 0.4] }],
      [
        "groups-solved",
        {
          [COMPUTED_KEYS.zeroStd]: steady(0.9, 5),
          [COMPUTED_KEYS.groupsNone]: steady(0, 5),
          [COMPUTED_KEYS.groupsAll]: steady(0.9, 5),
        },
      ],
    ])("%s leaves the run healthy", (id, signals) => {
      expect(judge(signals)).toMatchObject({ word: "Healthy", ids: [id] });
    });

    test("names the phase and the side that waits", () => {
      expect(judge(slow).advisories[0]?.detail).toContain("most of it in tools (6.0 s)");
      expect(judge(idle).advisories[0]?.title).toBe("The trainer waits for rollouts");
    });

    test("is silent while an alarm is on", () => {
      const { ids } = judge({ ...slow, ...idle, "rollout_corr/kl": [0.2, 0.2, 0.2] });
      expect(ids).toEqual(["rollout-kl"]);
    });

    test.each<[string, Record<string, Values>, Partial<RunEvidence>]>([
      ["both sides take turns on the same machines", idle, { isColocated: true }],
      ["one step preempted", { "timing_s/agent_loop/num_preempted/mean": [0, 0.5, 0] }, {}],
      ["preemptions are not known", { "timing_s/agent_loop/num_preempted/mean": [-1, -1, -1] }, {}],
      ["it trains on a CPU", { "perf/mfu/actor": [0.1, 0.1, 0.1] }, { hasGpus: false }],
      ["MFU is not known", { "perf/mfu/actor": [0, 0, 0] }, {}],
      ["one step of three was fine", { "perf/mfu/actor": [0.1, 0.3, 0.1] }, {}],
      ["the slowest costs the step nothing", { ...slow, "timing_s/step": [500, 500, 500] }, {}],
    ])("there is none where %s", (_, signals, change) => {
      expect(judge(signals, change).ids).toEqual([]);
    });
  });

  describe("the first steps", () => {
    const start = {
      "actor/ppo_kl": [0, 0.01],
      "rollout_corr/training_log_ppl": [0.4, 0.4],
      [PROBS]: [0.001, 0.001],
      "timing_s/step": [1, 1],
    };
    test("are ticked as they come", () => {
      expect(judge(start).start.map(({ id, status }) => [id, status])).toEqual([
        ["start-kl", "pass"],
        ["start-log-prob", "pass"],
        ["probs-diff", "pass"],
        ["second-step", "pass"],
      ]);
      const one = Object.fromEntries(Object.entries(start).map(([key, [v]]) => [key, [v ?? 0]]));
      expect(judge(one).start.at(-1)).toMatchObject({ id: "second-step", status: "wait" });
      expect(judge(one, { status: "failed" }).start.at(-1)?.status).toBe("fail");
    });
    test("a check that fails names its bound and where it comes from, and links step, chart and log", () => {
      const wrong = { ...start, [PROBS]: [0.00502, 0.001] };
      const [said] = judge(wrong).advisories;
      expect(said?.detail).toContain("0.00502");
      expect(said?.detail).toContain("The bound is 0.005 (verl's FAQ");
      expect(said?.links.map(({ label }) => label.replace(/ at .*/, ""))).toEqual([
        "Step 1",
        "Chart",
        "Log",
      ]);
      const thresholds = { ...DEFAULT_THRESHOLDS, "probs-diff": { warn: 0.002, bad: null } };
      expect(judge(wrong, { thresholds }).advisories[0]?.detail).toContain(
        "The bound is 0.002, which this project set.",
      );
    });
    test("of a trainer that moves between weight syncs are not held to agree with the engine", () => {
      const moved = { ...start, [PROBS]: [0.009, 0.004] };
      expect(judge(moved).ids).toEqual(["bad-start"]);
      const synchronous = { ...moved, "fully_async/trainer/idle_ratio": [0.1, 0.1] };
      expect(judge(synchronous).ids).toEqual(["bad-start"]);
      const asynchronous = judge({ ...synchronous, "fully_async/count/staleness_samples": [4, 4] });
      expect(asynchronous.ids).toEqual([]);
      expect(asynchronous.start.map(({ id }) => id)).not.toContain("probs-diff");
      const likeWithLike = judge({
        ...synchronous,
        ...{
          "fully_async/count/staleness_samples": [4, 4],
          "training/off_policy/token_ratio": [0.5, 0.5],
        },
      });
      expect(likeWithLike.ids).toEqual(["bad-start"]);
    });
    test("that are wrong are an alarm while the run is young", () => {
      const wrong = { ...start, "rollout_corr/training_log_ppl": [6, 6] };
      expect(judge(wrong).ids).toEqual(["bad-start"]);
      expect(judge(wrong).advisories[0]?.detail).toContain("Log-probs are small");
      const old = { ...wrong, "timing_s/step": steady(1, 40) };
      expect(judge(old).ids).toEqual([]);
    });
  });

  describe("deaths of the trainer", () => {
    const signals = { [REWARD]: rising(40, 0.1, 0.9) };
    const diedAgoS = (seconds: number, step: number | null = 30) => ({
      crashes: [{ atMs: NOW - seconds * 1000 - 500, step }],
    });
    test("within the judged steps are a warning that names the step, and links to it and to the log", () => {
      const verdict = judge(signals, diedAgoS(10));
      expect(verdict.word).toBe("Degraded");
      const [advisory] = verdict.advisories;
      expect(advisory).toMatchObject({ id: "crashes", level: "warn", sinceStep: 30 });
      expect(advisory?.title).toBe("The trainer died after step 30");
      const at = new Date(NOW - 10_500).toISOString();
      expect(advisory?.links.map(({ href }) => href)).toEqual([
        "steps/30",
        `logs?${new URLSearchParams({ src: "trainer", t: at })}`,
        "events",
      ]);
      const many = { crashes: Array(4).fill({ atMs: NOW - 500, step: null }) };
      expect(judge(signals, many).advisories[0]).toMatchObject({ level: "bad" });
    });
    test("before them are told and no alarm", () => {
      const verdict = judge(signals, diedAgoS(30, 10));
      expect(verdict).toMatchObject({ word: "Healthy", failures: "ok", ids: ["crashes"] });
      expect(verdict.advisories[0]).toMatchObject({ tier: "advice", sinceStep: 10 });
    });
    test("of a run that is younger than the window are all of now", () => {
      expect(judge({ [REWARD]: [0.1, 0.2] }, diedAgoS(60, 1)).word).toBe("Degraded");
    });
  });

  test("an attempt that has just begun has no steps yet; the next ones count from its first", () => {
    const signals = { [REWARD]: rising(30, 0.1, 0.6) };
    expect(judge(signals, { attemptSinceMs: NOW + 1 }).steps).toBeNull();
    expect(judge(signals, { attemptSinceMs: NOW - 2_500 }).steps).toEqual([28, 30]);
  });

  test("of two evaluations each says which it is", () => {
    const { sentence } = judge(
      { [REWARD]: steady(0.9), "val-core/liverl/repair/acc/mean@1": [0.2, 0.984] },
      {
        status: "succeeded",
        statusReason:
          "in-run evaluation met the plan's goal at step 2; final held-out reward 0.949",
      },
    );
    expect(sentence).toContain("in-run evaluation 0.984 at step 2.");
    expect(sentence).toMatch(
      / In-run evaluation met the plan's goal at step 2; final held-out reward 0\.949\.$/,
    );
  });

  test("nothing is said of progress before ten steps", () => {
    expect(judge({ [REWARD]: [0.1, 0.1, 0.2] }).progress).toBe("unknown");
    expect(judge({ [REWARD]: steady(0.5, 10) }).progress).toBe("ok");
  });

  test("a stall is six times a step, but at least a minute", () => {
    const signals = { "timing_s/step": steady(2) };
    expect(judge(signals, { nowMs: NOW + 50_000 }).ids).toEqual([]);
    expect(judge(signals, { nowMs: NOW + 61_000 })).toMatchObject({
      word: "Stalled",
      performance: "bad",
    });
    expect(judge({ "timing_s/step": steady(100) }, { nowMs: NOW + 300_000 }).ids).toEqual([]);
    expect(judge(signals, { nowMs: NOW + 61_000, status: "succeeded" }).ids).toEqual([]);
  });

  test("a failed run is down and says why", () => {
    expect(
      judge({ [REWARD]: steady(0.5) }, { status: "failed", statusReason: "no disk" }),
    ).toMatchObject({ word: "Down", failures: "bad", sentence: "Failed: no disk." });
  });

  test("equal rewards are no sign where a critic tells the advantages", () => {
    const equal = {
      [COMPUTED_KEYS.zeroStd]: [0.1, ...steady(0.6, 5)],
      [COMPUTED_KEYS.groupsNone]: steady(0.6, 6),
      [COMPUTED_KEYS.groupsAll]: steady(0, 6),
    };
    expect(judge(equal).ids).toContain("zero-std-groups");
    expect(judge(equal, { equalTrains: true }).ids).not.toContain("zero-std-groups");
  });
});
