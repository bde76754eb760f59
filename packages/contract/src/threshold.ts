import { z } from "zod";
import { ProjectName } from "#run.ts";

export const ThresholdUnit = z.enum([
  "ratio",
  "nats",
  "reward",
  "times",
  "z",
  "versions",
  "number",
]);
export type ThresholdUnit = z.infer<typeof ThresholdUnit>;

interface ThresholdEntry {
  label: string;
  aspect: "progress" | "stability" | "performance" | "failures" | "start";
  /** The metric that is judged; its chart shows the bounds. */
  metric: string;
  /** Whether the bound is one of the metric's own values, so that it can be drawn on its chart. */
  isLevel: boolean;
  unit: ThresholdUnit;
  /** The side on which it is bad. */
  side: "above" | "below";
  warn: number;
  /** Null: this sign is never more than a warning. */
  bad: number | null;
  /** Who gives this number, and where it stands. */
  source: string;
}

const DRIFT =
  "Trend over 18 steps (Theil–Sen, Mann–Kendall) or level of 8 against the run's own median; LiveRL's own number";
const OURS = "LiveRL's own default; nobody has published a number";

/** Every bound that a verdict is taken by, with its default. A project may set others. */
export const THRESHOLDS = {
  "reward-drop": {
    label: "Reward drops from one step to the next",
    ...{ aspect: "progress", metric: "critic/rewards/mean", isLevel: false, unit: "reward" },
    ...{ side: "above", warn: 0.2, bad: 0.4, source: OURS },
  },
  "reward-fall": {
    label: "Reward falls over the recent steps",
    ...{ aspect: "progress", metric: "critic/rewards/mean", isLevel: false, unit: "reward" },
    ...{ side: "above", warn: 0.05, bad: null, source: OURS },
  },
  "held-out-fall": {
    label: "Held-out reward is below its start",
    ...{ aspect: "progress", metric: "val-core", isLevel: false, unit: "reward" },
    ...{ side: "above", warn: 0.05, bad: null, source: OURS },
  },
  "zero-std": {
    label: "Groups without spread",
    ...{ aspect: "progress", metric: "group/zero_std_frac", isLevel: true, unit: "ratio" },
    ...{ side: "above", warn: 0.5, bad: null, source: "miles' dashboard warns from 50 %" },
  },
  "probs-diff": {
    label: "Rollout and trainer disagree: token probabilities",
    aspect: "stability",
    metric: "training/rollout_probs_diff_mean",
    ...{ isLevel: true, unit: "number", side: "above", warn: 0.005, bad: 0.01 },
    source: "verl's FAQ: below 0.005 is normal, above 0.01 is a problem",
  },
  "rollout-kl": {
    label: "Rollout and trainer disagree: |KL|",
    ...{ aspect: "stability", metric: "rollout_corr/kl", isLevel: true, unit: "nats" },
    ...{ side: "above", warn: 0.1, bad: null, source: "verl's rollout correction: |kl| > 0.1" },
  },
  "rollout-kl-drift": {
    label: "|KL| of rollout and trainer over the run's usual level",
    ...{ aspect: "stability", metric: "rollout_corr/kl", isLevel: false, unit: "times" },
    ...{ side: "above", warn: 1.75, bad: null, source: DRIFT },
  },
  "is-mean-high": {
    label: "Mean importance weight, highest",
    ...{ aspect: "stability", metric: "rollout_corr/rollout_is_mean", isLevel: true },
    ...{ unit: "times", side: "above", warn: 2, bad: null },
    source: "verl's rollout correction: mean weight > 2",
  },
  "is-mean-low": {
    label: "Mean importance weight, lowest",
    ...{ aspect: "stability", metric: "rollout_corr/rollout_is_mean", isLevel: true },
    ...{ unit: "times", side: "below", warn: 0.5, bad: null },
    source: "verl's rollout correction: mean weight < 0.5",
  },
  "is-std": {
    label: "Spread of the importance weights",
    ...{ aspect: "stability", metric: "rollout_corr/rollout_is_std", isLevel: true },
    ...{ unit: "times", side: "above", warn: 1, bad: null },
    source: "verl's rollout correction: standard deviation > 1",
  },
  "is-ess": {
    label: "Effective sample size of the importance weights",
    ...{ aspect: "stability", metric: "rollout_corr/rollout_is_eff_sample_size", isLevel: true },
    ...{ unit: "ratio", side: "below", warn: 0.3, bad: null },
    source: "verl's rollout correction: effective sample size < 0.3",
  },
  "chi2-token": {
    label: "χ² of the importance weights",
    ...{ aspect: "stability", metric: "rollout_corr/chi2_token", isLevel: true, unit: "number" },
    ...{ side: "above", warn: 1, bad: null, source: "verl's rollout correction: chi2_token > 1" },
  },
  "k3-kl": {
    label: "Rollout and trainer disagree: KL, low-variance estimate",
    ...{ aspect: "stability", metric: "rollout_corr/k3_kl", isLevel: true, unit: "nats" },
    ...{ side: "above", warn: 0.1, bad: null },
    source: "verl's rollout correction: |kl| > 0.1; k3 estimates the same KL",
  },
  "log-ppl-diff": {
    label: "Rollout and trainer disagree: log-perplexity of a sequence",
    ...{ aspect: "stability", metric: "rollout_corr/log_ppl_abs_diff", isLevel: true },
    ...{ unit: "nats", side: "above", warn: 0.2, bad: null, source: OURS },
  },
  "sync-jump": {
    label: "Disagreement jumps after a weight sync",
    ...{ aspect: "stability", metric: "training/rollout_probs_diff_mean", isLevel: false },
    ...{ unit: "times", side: "above", warn: 5, bad: 5, source: OURS },
  },
  "entropy-lost": {
    label: "Share of the first entropy that is lost",
    ...{ aspect: "stability", metric: "actor/entropy", isLevel: false, unit: "ratio" },
    ...{ side: "above", warn: 0.73, bad: null },
    source: "Cui et al., arXiv 2505.22617: most of the gain is spent when 73 % is gone",
  },
  "entropy-slope": {
    label: "Share of the entropy that 20 steps cost, while reward does not rise",
    ...{ aspect: "stability", metric: "actor/entropy", isLevel: false, unit: "ratio" },
    ...{ side: "above", warn: 0.3, bad: null },
    source:
      "Cui et al., arXiv 2505.22617: reward is traded for entropy; the number is LiveRL's own",
  },
  "entropy-rise": {
    label: "Entropy over its level before",
    ...{ aspect: "stability", metric: "actor/entropy", isLevel: false, unit: "times" },
    ...{ side: "above", warn: 2, bad: 4 },
    source: "Seen in verl#1066 and verl#2738 before nonsense; the number is LiveRL's own",
  },
  "entropy-drift": {
    label: "Entropy over the run's usual level, while reward does not rise",
    ...{ aspect: "stability", metric: "actor/entropy", isLevel: false, unit: "times" },
    ...{ side: "above", warn: 1.5, bad: null, source: DRIFT },
  },
  "kl-rise": {
    label: "KL of the update over the run's usual level",
    ...{ aspect: "stability", metric: "actor/ppo_kl", isLevel: false, unit: "times" },
    ...{ side: "above", warn: 2, bad: null, source: DRIFT },
  },
  "kl-z": {
    label: "KL of the update spikes",
    ...{ aspect: "stability", metric: "actor/ppo_kl", isLevel: false, unit: "z", side: "above" },
    ...{ warn: 6, bad: null, source: "Robust z (median, MAD) over 50 steps; LiveRL's own number" },
  },
  "grad-norm-z": {
    label: "Gradient norm spikes",
    ...{ aspect: "stability", metric: "actor/grad_norm", isLevel: false, unit: "z" },
    ...{ side: "above", warn: 6, bad: null },
    source: "prime-rl: spikes precede divergence; robust z over 50 steps, LiveRL's own number",
  },
  staleness: {
    label: "Oldest weights in a batch, versions behind",
    aspect: "stability",
    metric: "training/off_policy/trajectory_staleness_worst/max",
    ...{ isLevel: true, unit: "versions", side: "above", warn: 8, bad: null },
    source: "verl max_off_policy_threshold and prime-rl max_off_policy_steps: both 8",
  },
  straggler: {
    label: "Slowest rollout over the median",
    ...{ aspect: "performance", metric: "rollout/slowest/ratio", isLevel: true, unit: "times" },
    ...{ side: "above", warn: 3, bad: null },
    source: "AER Labs: the slowest 20 % take half of the time; the number is LiveRL's own",
  },
  preempted: {
    label: "Preemptions of the engines, a rollout",
    aspect: "performance",
    metric: "timing_s/agent_loop/num_preempted/mean",
    ...{ isLevel: true, unit: "number", side: "above", warn: 0.1, bad: null, source: OURS },
  },
  "idle-gap": {
    label: "One side waits longer than the other",
    ...{ aspect: "performance", metric: "fully_async/trainer/idle_ratio", isLevel: false },
    ...{ unit: "ratio", side: "above", warn: 0.3, bad: null },
    source: "verl's fully-async guide balances the two idle ratios; the number is LiveRL's own",
  },
  mfu: {
    label: "MFU of the update",
    ...{ aspect: "performance", metric: "perf/mfu/actor", isLevel: true, unit: "ratio" },
    ...{ side: "below", warn: 0.15, bad: null, source: "miles: below 15 % over 3 steps and more" },
  },
  "step-time-drift": {
    label: "Step time over the run's usual level",
    ...{ aspect: "performance", metric: "timing_s/step", isLevel: false, unit: "times" },
    ...{ side: "above", warn: 1.5, bad: null, source: DRIFT },
  },
  stall: {
    label: "Silence over the usual gap between two steps",
    ...{ aspect: "performance", metric: "timing_s/step", isLevel: false, unit: "times" },
    ...{ side: "above", warn: 6, bad: 6, source: "miles: an open phase over 6 times its median" },
  },
  invalid: {
    label: "Rollouts without a reward",
    ...{ aspect: "failures", metric: "rollout/invalid_ratio", isLevel: true, unit: "ratio" },
    ...{ side: "above", warn: 0.05, bad: 0.5, source: "prime-rl: errored above 5 % is a smell" },
  },
  aborted: {
    label: "Answers that were aborted",
    ...{ aspect: "failures", metric: "response/aborted_ratio", isLevel: true, unit: "ratio" },
    ...{ side: "above", warn: 0.05, bad: 0.5, source: "miles: above 5 % aborts" },
  },
  "agent-errors": {
    label: "Agents that end with an error",
    ...{ aspect: "failures", metric: "rollout/agent_error_ratio", isLevel: true, unit: "ratio" },
    ...{ side: "above", warn: 0.05, bad: 0.5, source: "prime-rl: errored above 5 % is a smell" },
  },
  "verifier-errors": {
    label: "Rollouts whose verifier failed",
    ...{ aspect: "failures", metric: "rollout/verifier_error_ratio", isLevel: true },
    ...{ unit: "ratio", side: "above", warn: 0.02, bad: 0.2, source: OURS },
  },
  contradicted: {
    label: "Answers whose reward is another than before",
    ...{ aspect: "failures", metric: "rollout/contradicted_ratio", isLevel: true, unit: "ratio" },
    ...{ side: "above", warn: 0.05, bad: 0.25 },
    source: "Google's testing blog, 2016: 1.5 % of test runs are flaky; the number is LiveRL's own",
  },
  integrity: {
    label: "Rollouts with a sign that the reward was not earned",
    ...{ aspect: "failures", metric: "rollout/integrity_ratio", isLevel: true, unit: "ratio" },
    ...{ side: "above", warn: 0.05, bad: 0.25, source: OURS },
  },
  "task-jump": {
    label: "Unsolved tasks that all of a group solve at once",
    ...{ aspect: "failures", metric: "rollout/task_jump_ratio", isLevel: true, unit: "ratio" },
    ...{ side: "above", warn: 0.5, bad: null, source: OURS },
  },
  truncated: {
    label: "Answers that reach the length cap",
    ...{ aspect: "failures", metric: "response_length/clip_ratio", isLevel: true, unit: "ratio" },
    ...{ side: "above", warn: 0.25, bad: null, source: "miles' dashboard warns from 25 %" },
  },
  "length-growth": {
    label: "Answers grow longer",
    ...{ aspect: "failures", metric: "response_length/mean", isLevel: false, unit: "times" },
    ...{ side: "above", warn: 2, bad: null, source: OURS },
  },
  "length-drift": {
    label: "Response length off the run's usual level, while reward does not rise",
    ...{ aspect: "failures", metric: "response_length/mean", isLevel: false, unit: "times" },
    ...{ side: "above", warn: 1.5, bad: null, source: DRIFT },
  },
  "start-kl": {
    label: "KL of the first update",
    ...{ aspect: "start", metric: "actor/ppo_kl", isLevel: false, unit: "nats", side: "above" },
    ...{ warn: 0.05, bad: null },
    source: "slime's debug guide: 0 at the first step; the margin is LiveRL's own",
  },
  "start-log-prob": {
    label: "|log-prob| of the first step, mean",
    ...{ aspect: "start", metric: "rollout_corr/training_log_ppl", isLevel: false, unit: "nats" },
    ...{ side: "above", warn: 1, bad: null },
    source: "slime's debug guide: above 1 the template or the config is wrong",
  },
} as const satisfies Record<string, ThresholdEntry>;

export const ThresholdId = z.enum(
  Object.keys(THRESHOLDS) as [keyof typeof THRESHOLDS, ...(keyof typeof THRESHOLDS)[]],
);
export type ThresholdId = z.infer<typeof ThresholdId>;

/** Where a sign becomes a warning and where an alarm, in the unit of its entry; null: never. */
export const Bounds = z.object({ warn: z.number().nullable(), bad: z.number().nullable() });
export type Bounds = z.infer<typeof Bounds>;
export type Thresholds = Readonly<Record<ThresholdId, Bounds>>;

export const DEFAULT_THRESHOLDS: Thresholds = Object.fromEntries(
  ThresholdId.options.map((id) => [id, { warn: THRESHOLDS[id].warn, bad: THRESHOLDS[id].bad }]),
) as Record<ThresholdId, Bounds>;

/** The defaults with a project's own bounds in their place. Pure. */
export function resolveThresholds(
  changed: readonly ({ id: string } & Bounds)[],
): Record<ThresholdId, Bounds> {
  const all = { ...DEFAULT_THRESHOLDS };
  for (const { id, warn, bad } of changed) {
    const known = ThresholdId.safeParse(id);
    // An id that this version does not know is one of another version: it stays stored and judges nothing.
    if (known.success) all[known.data] = { warn, bad };
  }
  return all;
}

/** What is wrong with bounds, in words that say what to do; null where nothing is. */
export function boundsFault(id: ThresholdId, { warn, bad }: Bounds): string | null {
  const { side, unit }: ThresholdEntry = THRESHOLDS[id];
  for (const value of [warn, bad]) {
    if (value === null) continue;
    if (value < 0) return "A bound is 0 or more.";
    if (unit === "ratio" && value > 1) return "A share is between 0 and 1: write 5 % as 0.05.";
  }
  if (warn === null || bad === null) return null;
  if (side === "above" && bad < warn) return "The alarm comes after the warning: make it larger.";
  if (side === "below" && bad > warn) return "The alarm comes after the warning: make it smaller.";
  return null;
}

export const SetThreshold = Bounds.extend({ project: ProjectName, id: ThresholdId }).superRefine(
  ({ id, warn, bad }, check) => {
    const message = boundsFault(id, { warn, bad });
    if (message !== null) check.addIssue({ code: "custom", path: ["warn"], message });
  },
);
export type SetThreshold = z.infer<typeof SetThreshold>;
export const ResetThreshold = z.object({
  project: ProjectName,
  /** Left out: all of them. */
  id: ThresholdId.optional(),
});
export type ResetThreshold = z.infer<typeof ResetThreshold>;

/** One threshold as a project has it now. */
export const ThresholdView = Bounds.extend({
  id: ThresholdId,
  isChanged: z.boolean(),
  /** Who changed it and when; null while it is the default. */
  actor: z.string().nullable(),
  changedAt: z.string().nullable(),
});
export type ThresholdView = z.infer<typeof ThresholdView>;
