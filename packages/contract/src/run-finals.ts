import type { RunDetail } from "#run.ts";

/** A number that says where a run stands. */
export interface RunFinal {
  label: string;
  title: string;
  of: (run: RunDetail) => number | null;
  kind: "number" | "signed" | "duration" | "percent" | "count";
}

/** Where a run stands, in the order of the table's columns. */
export const RUN_FINALS: readonly RunFinal[] = [
  {
    ...{ label: "Reward", title: "Newest mean reward of training" },
    ...{ of: (run) => run.reward.last, kind: "number" },
  },
  {
    ...{ label: "Held-out", title: "Newest reward on held-out tasks" },
    ...{ of: (run) => run.heldOutReward, kind: "number" },
  },
  {
    ...{ label: "Held-out gain", title: "The newest held-out reward less the first one" },
    ...{ of: (run) => run.cost?.heldOutGain ?? null, kind: "signed" },
  },
  {
    ...{ label: "Step time", title: "Median of recent steps" },
    ...{ of: (run) => run.stepTimeS, kind: "duration" },
  },
  {
    ...{ label: "MFU", title: "Model FLOPs utilisation of the trainer" },
    ...{ of: (run) => run.mfu, kind: "percent" },
  },
  {
    ...{ label: "Trainer idle", title: "Share of a step that the trainer waits for rollouts" },
    ...{ of: (run) => run.idleRatio, kind: "percent" },
  },
  {
    ...{ label: "Device hours", title: "Hours at work times devices: GPUs, or processes on CPU" },
    ...{ of: (run) => run.cost?.deviceHours ?? null, kind: "number" },
  },
  {
    ...{ label: "Tokens sampled", title: "By the policy, in training and evaluation" },
    ...{ of: (run) => run.cost?.tokensSampled ?? null, kind: "count" },
  },
  {
    ...{ label: "Hours per point", title: "Device hours for each point of held-out reward gained" },
    ...{ of: (run) => run.cost?.hoursPerPoint ?? null, kind: "number" },
  },
];

/** The difference from a baseline, as a share of it; null where one is not known. Of a baseline of nothing there is no share. */
export function changeOf(value: number | null, base: number | null): number | null {
  if (value === null || base === null || base === 0) return null;
  return (value - base) / Math.abs(base);
}
