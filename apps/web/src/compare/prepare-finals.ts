import type { RunDetail } from "@liverl/contract/run";
import {
  changeOf,
  type FinalSeries,
  type FinalsAt,
  finalAt,
  RUN_FINALS,
  type RunFinal,
} from "@liverl/contract/run-finals";
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
  /** Which step it is of, where the choice of a place does not say it. */
  place: string | null;
  /** Against the baseline: `+0.03`, `+1.5 pt`, `+12.5 %`, `×4.90`; null for itself, and where one of the two is not known. */
  change: string | null;
}

/** A run with the series that its numbers at a step are read from. */
export type MeasuredRun = { run: RunDetail; series: readonly FinalSeries[] };

/** A run's numbers at a place, each with its difference from the baseline's at the same place. */
export function prepareFinals(
  { run, series }: MeasuredRun,
  baseline: MeasuredRun,
  at: FinalsAt = { kind: "last" },
): FinalCell[] {
  return RUN_FINALS.map((final) => {
    const { label, title, kind, differs } = final;
    const { value, step } = finalAt(run, final, series, at);
    const base = finalAt(baseline.run, final, baseline.series, at).value;
    return {
      ...{ label, title: title + moneyOf(label, run) },
      text: value === null ? "—" : FORMATS[kind](value),
      place: value === null ? null : placeOf(at, step),
      change:
        run.id === baseline.run.id ? null : writeChange(differs, changeOf(differs, value, base)),
    };
  });
}

/** Which step a number is of, where the column's head does not say it: each run's own end or best, or an older evaluation. */
function placeOf(at: FinalsAt, step: number | null): string | null {
  if (step === null || (at.kind === "step" && at.step === step)) return null;
  return `at ${step}`;
}

/** Labels of the columns that at least one of the runs has a number for. */
export function finalColumns(
  runs: readonly MeasuredRun[],
  at: FinalsAt = { kind: "last" },
): { label: string; title: string }[] {
  return RUN_FINALS.filter((final) =>
    runs.some(({ run, series }) => finalAt(run, final, series, at).value !== null),
  );
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
