import type { RunDetail } from "@liverl/contract/run";
import { formatDelta } from "#charts/value-format.ts";
import { formatDuration } from "#ui/format-duration.ts";
import { formatMoney } from "#ui/format-money.ts";
import { formatCount, formatNumber, formatPercent, formatSigned } from "#ui/format-number.ts";

interface Final {
  label: string;
  title: string;
  of: (run: RunDetail) => number | null;
  format: (value: number) => string;
  /** How a difference reads: of a score as it is, of a share in points of percent, of an amount as its part or multiple. */
  differs: "score" | "share" | "amount";
}

/** Where a run stands, in the order of the table's columns. */
const FINALS: readonly Final[] = [
  {
    ...{ label: "Reward", title: "Newest mean reward of training" },
    ...{ of: (run) => run.reward.last, format: formatNumber },
    differs: "score",
  },
  {
    ...{ label: "Held-out", title: "Newest reward on held-out tasks" },
    ...{ of: (run) => run.heldOutReward, format: formatNumber },
    differs: "score",
  },
  {
    ...{ label: "Held-out gain", title: "The newest held-out reward less the first one" },
    ...{ of: (run) => run.cost?.heldOutGain ?? null, format: formatSigned },
    differs: "score",
  },
  {
    ...{ label: "Step time", title: "Median of recent steps" },
    ...{ of: (run) => run.stepTimeS, format: formatDuration },
    differs: "amount",
  },
  {
    ...{ label: "MFU", title: "Model FLOPs utilisation of the trainer" },
    ...{ of: (run) => run.mfu, format: formatPercent },
    differs: "share",
  },
  {
    ...{ label: "Trainer idle", title: "Share of a step that the trainer waits for rollouts" },
    ...{ of: (run) => run.idleRatio, format: formatPercent },
    differs: "share",
  },
  {
    ...{ label: "Device hours", title: "Hours at work times devices: GPUs, or processes on CPU" },
    ...{ of: (run) => run.cost?.deviceHours ?? null, format: formatNumber },
    differs: "amount",
  },
  {
    ...{ label: "Tokens sampled", title: "By the policy, in training and evaluation" },
    ...{ of: (run) => run.cost?.tokensSampled ?? null, format: formatCount },
    differs: "amount",
  },
  {
    ...{ label: "Hours per point", title: "Device hours for each point of held-out reward gained" },
    ...{ of: (run) => run.cost?.hoursPerPoint ?? null, format: formatNumber },
    differs: "amount",
  },
];

export interface FinalCell {
  label: string;
  title: string;
  text: string;
  /** Against the baseline: `+0.03`, `+1.5 pt`, `+12.5 %`, `×4.90`; null for itself, and where one of the two is not known. */
  change: string | null;
}

/** A run's numbers, each with its difference from the baseline's. */
export function prepareFinals(run: RunDetail, baseline: RunDetail): FinalCell[] {
  return FINALS.map(({ label, title, of, format, differs }) => {
    const value = of(run);
    return {
      ...{ label, title: title + moneyOf(label, run) },
      text: value === null ? "—" : format(value),
      change: run.id === baseline.id ? null : changeOf(differs, value, of(baseline)),
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

/** An amount of twice as much or more reads as its multiple. Of an amount of nothing there is none. */
function changeOf(
  differs: Final["differs"],
  value: number | null,
  base: number | null,
): string | null {
  if (value === null || base === null) return null;
  if (differs === "share") return formatDelta("percent", value - base);
  if (differs === "score") return formatDelta("auto", value - base);
  if (base <= 0) return null;
  const times = value / base;
  return times >= 2
    ? `×${formatNumber(times)}`
    : formatSigned(times - 1, (size) => formatPercent(size));
}
