import { ALERT_OVER, describeFinding, type Finding, type RunEvent } from "@liverl/contract/run";
import type { ChartSpan } from "#charts/chart-span.ts";

/**
 * What is known of stretches of a run's steps: findings of the verdict, and alerts from where they fired to where they were over.
 * Another source is another few lines here.
 */
export function prepareSpans(
  events: readonly RunEvent[],
  findings: readonly Finding[] = [],
): ChartSpan[] {
  const spans = findings.map(
    (one): ChartSpan => ({
      from: one.fromStep,
      to: one.toStep,
      severity: one.level === "bad" || one.level === "warn" ? one.level : "info",
      label: describeFinding(one),
    }),
  );
  const open = new Map<string, ChartSpan>();
  let reached = 0;
  for (const { kind, step, message } of [...events].sort((a, b) => a.id - b.id)) {
    // What has no step of its own happened at the one that the run had reached.
    reached = Math.max(reached, step ?? 0);
    if (kind !== "alert") continue;
    const isOver = message.startsWith(ALERT_OVER);
    const [label = ""] = (isOver ? message.slice(ALERT_OVER.length) : message).split("; ");
    if (isOver) {
      const span = open.get(label);
      if (span !== undefined) span.to = Math.max(span.from, step ?? reached);
      open.delete(label);
    } else if (!open.has(label)) {
      const span: ChartSpan = { from: step ?? reached, to: null, severity: "warn", label };
      open.set(label, span);
      spans.push(span);
    }
  }
  return spans;
}
