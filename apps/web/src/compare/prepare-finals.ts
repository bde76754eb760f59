import type { RunDetail } from "@liverl/contract/run";
import { changeOf, RUN_FINALS, type RunFinal } from "@liverl/contract/run-finals";
import { formatDelta } from "#charts/value-format.ts";
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
  /** Against the baseline: `+0.03`, `+1.5 pt`, `+12.5 %`, `×4.90`; null for itself, and where one of the two is not known. */
  change: string | null;
}

/** A run's numbers, each with its difference from the baseline's. */
export function prepareFinals(run: RunDetail, baseline: RunDetail): FinalCell[] {
  return RUN_FINALS.map(({ label, title, of, kind, differs }) => {
    const value = of(run);
    return {
      ...{ label, title: title + moneyOf(label, run) },
      text: value === null ? "—" : FORMATS[kind](value),
      change:
        run.id === baseline.id
          ? null
          : writeChange(differs, changeOf(differs, value, of(baseline))),
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

/** An amount of twice as much or more reads as its multiple. */
function writeChange(differs: RunFinal["differs"], change: number | null): string | null {
  if (change === null) return null;
  if (differs === "share") return formatDelta("percent", change);
  if (differs === "score") return formatDelta("auto", change);
  return change >= 1
    ? `×${formatNumber(change + 1)}`
    : formatSigned(change, (size) => formatPercent(size));
}
