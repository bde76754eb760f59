import type { RunDetail } from "@liverl/contract/run";
import { formatDuration } from "#ui/format-duration.ts";
import { formatMoney } from "#ui/format-money.ts";
import { formatCount, formatNumber, formatPercent, formatSigned } from "#ui/format-number.ts";

interface Final {
  label: string;
  title: string;
  of: (run: RunDetail) => number | null;
  format: (value: number) => string;
}

/** Where a run stands, in the order of the table's columns. */
const FINALS: readonly Final[] = [
  {
    ...{ label: "Reward", title: "Newest mean reward of training" },
    ...{ of: (run) => run.reward.last, format: formatNumber },
  },
  {
    ...{ label: "Held-out", title: "Newest reward on held-out tasks" },
    ...{ of: (run) => run.heldOutReward, format: formatNumber },
  },
  {
    ...{ label: "Held-out gain", title: "The newest held-out reward less the first one" },
    ...{ of: (run) => run.cost?.heldOutGain ?? null, format: formatSigned },
  },
  {
    ...{ label: "Step time", title: "Median of recent steps" },
    ...{ of: (run) => run.stepTimeS, format: formatDuration },
  },
  {
    ...{ label: "MFU", title: "Model FLOPs utilisation of the trainer" },
    ...{ of: (run) => run.mfu, format: formatPercent },
  },
  {
    ...{ label: "Trainer idle", title: "Share of a step that the trainer waits for rollouts" },
    ...{ of: (run) => run.idleRatio, format: formatPercent },
  },
  {
    ...{ label: "Device hours", title: "Hours at work times devices: GPUs, or processes on CPU" },
    ...{ of: (run) => run.cost?.deviceHours ?? null, format: formatNumber },
  },
  {
    ...{ label: "Tokens sampled", title: "By the policy, in training and evaluation" },
    ...{ of: (run) => run.cost?.tokensSampled ?? null, format: formatCount },
  },
  {
    ...{ label: "Hours per point", title: "Device hours for each point of held-out reward gained" },
    ...{ of: (run) => run.cost?.hoursPerPoint ?? null, format: formatNumber },
  },
];

export interface FinalCell {
  label: string;
  title: string;
  text: string;
  /** Against the baseline: `+12.5 %`; null for itself, and where one of the two is not known. */
  change: string | null;
}

/** A run's numbers, each with its difference from the baseline's. */
export function prepareFinals(run: RunDetail, baseline: RunDetail): FinalCell[] {
  return FINALS.map(({ label, title, of, format }) => {
    const value = of(run);
    return {
      ...{ label, title: title + moneyOf(label, run) },
      text: value === null ? "—" : format(value),
      change: run.id === baseline.id ? null : changeOf(value, of(baseline)),
    };
  });
}

/** Labels of the columns that at least one of the runs has a number for. */
export function finalColumns(runs: readonly RunDetail[]): { label: string; title: string }[] {
  return FINALS.filter(({ of }) => runs.some((run) => of(run) !== null));
}

function moneyOf(label: string, { cost }: RunDetail): string {
  const money = label === "Device hours" ? cost?.money : undefined;
  return money ? `: ${formatMoney(money)}` : "";
}

/** Of a baseline of nothing there is no percentage. */
function changeOf(value: number | null, base: number | null): string | null {
  if (value === null || base === null || base === 0) return null;
  const share = (value - base) / Math.abs(base);
  return formatSigned(share, (size) => formatPercent(size));
}
