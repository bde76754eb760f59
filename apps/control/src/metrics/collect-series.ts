import { keyFault, stepFault, timeFault } from "#metrics/check-point.ts";
import type { MetricValue, SentSeries } from "#metrics/ingest.ts";

/** Gathers points by key, each checked. */
export class SeriesCollector {
  readonly #byKey = new Map<string, SentSeries>();
  points = 0;

  get series(): SentSeries[] {
    return [...this.#byKey.values()];
  }

  /** What is wrong with the point, which is then not kept; null when nothing is. */
  add(key: string, step: number, wallMs: number, value: MetricValue): string | null {
    let columns = this.#byKey.get(key);
    const fault =
      (columns === undefined ? keyFault(key) : null) ?? stepFault(step) ?? timeFault(wallMs);
    if (fault !== null) return fault;
    if (columns === undefined) {
      columns = { key, step: [], wallMs: [], value: [] };
      this.#byKey.set(key, columns);
    }
    columns.step.push(step);
    columns.wallMs.push(wallMs);
    columns.value.push(value);
    this.points++;
    return null;
  }
}
