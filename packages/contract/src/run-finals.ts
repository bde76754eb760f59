import type { RunDetail } from "#run.ts";

/** A number that says where a run stands. */
export interface RunFinal {
  label: string;
  title: string;
  of: (run: RunDetail) => number | null;
  kind: "number" | "signed" | "duration" | "percent" | "count";
  /** How a difference reads: of a score as it is, of a share in points of percent, of an amount as its part or multiple. */
  differs: "score" | "share" | "amount";
}

/** Where a run stands, in the order of the table's columns. */
export const RUN_FINALS: readonly RunFinal[] = [
  {
    ...{ label: "Reward", title: "Newest mean reward of training" },
    ...{ of: (run) => run.reward.last, kind: "number" },
    differs: "score",
  },
  {
    ...{ label: "Held-out", title: "Newest reward on held-out tasks" },
    ...{ of: (run) => run.heldOutReward, kind: "number" },
    differs: "score",
  },
  {
    ...{ label: "Held-out gain", title: "The newest held-out reward less the first one" },
    ...{ of: (run) => run.cost?.heldOutGain ?? null, kind: "signed" },
    differs: "score",
  },
  {
    ...{ label: "Step time", title: "Median of recent steps" },
    ...{ of: (run) => run.stepTimeS, kind: "duration" },
    differs: "amount",
  },
  {
    ...{ label: "MFU", title: "Model FLOPs utilisation of the trainer" },
    ...{ of: (run) => run.mfu, kind: "percent" },
    differs: "share",
  },
  {
    ...{ label: "Trainer idle", title: "Share of a step that the trainer waits for rollouts" },
    ...{ of: (run) => run.idleRatio, kind: "percent" },
    differs: "share",
  },
  {
    ...{ label: "Device hours", title: "Hours at work times devices: GPUs, or processes on CPU" },
    ...{ of: (run) => run.cost?.deviceHours ?? null, kind: "number" },
    differs: "amount",
  },
  {
    ...{ label: "Tokens sampled", title: "By the policy, in training and evaluation" },
    ...{ of: (run) => run.cost?.tokensSampled ?? null, kind: "count" },
    differs: "amount",
  },
  {
    ...{ label: "Hours per point", title: "Device hours for each point of held-out reward gained" },
    ...{ of: (run) => run.cost?.hoursPerPoint ?? null, kind: "number" },
    differs: "amount",
  },
];

/** The difference from a baseline; of an amount, as a part of it. Null where one is not known, and of an amount of nothing. */
export function changeOf(
  differs: RunFinal["differs"],
  value: number | null,
  base: number | null,
): number | null {
  if (value === null || base === null) return null;
  if (differs !== "amount") return value - base;
  return base > 0 ? value / base - 1 : null;
}
