import type { StepRange } from "#charts/metric-store.ts";

/**
 * A stretch of steps that something is to be said of, drawn on every chart of a run: shaded, with a bar at the top, and its label in
 * the tooltip of each of its steps.
 *
 * To show more of them, add what events (or anything else that a run's page knows) say to `prepareSpans`, or pass `spans` to
 * `RunScene`: panels, full view and tooltips need no change.
 */
export type ChartSpan = {
  from: number;
  /** The last step of it; null while it goes on. */
  to: number | null;
  severity: "info" | "warn" | "bad";
  label: string;
};

export const SPAN_COLOR = {
  info: { fill: "--accent-soft", mark: "--accent" },
  warn: { fill: "--warn-soft", mark: "--warn-mark" },
  bad: { fill: "--bad-soft", mark: "--bad-mark" },
} as const satisfies Record<ChartSpan["severity"], { fill: string; mark: string }>;

/** The part of a span that is shown; null where none is. One that goes on ends at the last step shown. */
export function visibleSpan({ from, to }: ChartSpan, [first, last]: StepRange): StepRange | null {
  const end = to ?? last;
  return from > last || end < first ? null : [Math.max(from, first), Math.min(end, last)];
}

/** Spans that a step lies in. */
export function spansAt(spans: readonly ChartSpan[], step: number): ChartSpan[] {
  return spans.filter(({ from, to }) => step >= from && step <= (to ?? Number.POSITIVE_INFINITY));
}
