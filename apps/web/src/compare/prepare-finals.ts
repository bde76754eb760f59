import type { RunDetail } from "@liverl/contract/run";
import { changeOf, RUN_FINALS, type RunFinal } from "@liverl/contract/run-finals";
import { formatDuration } from "#ui/format-duration.ts";
import { formatMoney } from "#ui/format-money.ts";
import { formatCount, formatNumber, formatPercent, formatSigned } from "#ui/format-number.ts";

const FORMATS: Record<RunFinal["kind"], (value: number) => string> = {
  number: formatNumber,
  signed: formatSigned,
  duration: formatDuration,
  percent: formatPercent,
  count: formatCount,
};

export interface FinalCell {
  label: string;
  title: string;
  text: string;
  /** Against the baseline: `+12.5 %`; null for itself, and where one of the two is not known. */
  change: string | null;
}

/** A run's numbers, each with its difference from the baseline's. */
export function prepareFinals(run: RunDetail, baseline: RunDetail): FinalCell[] {
  return RUN_FINALS.map(({ label, title, of, kind }) => {
    const value = of(run);
    return {
      ...{ label, title: title + moneyOf(label, run) },
      text: value === null ? "—" : FORMATS[kind](value),
      change: run.id === baseline.id ? null : inPercent(changeOf(value, of(baseline))),
    };
  });
}

/** Labels of the columns that at least one of the runs has a number for. */
export function finalColumns(runs: readonly RunDetail[]): { label: string; title: string }[] {
  return RUN_FINALS.filter(({ of }) => runs.some((run) => of(run) !== null));
}

function moneyOf(label: string, { cost }: RunDetail): string {
  const money = label === "Device hours" ? cost?.money : undefined;
  return money ? `: ${formatMoney(money)}` : "";
}

function inPercent(share: number | null): string | null {
  return share === null ? null : formatSigned(share, (size) => formatPercent(size));
}
