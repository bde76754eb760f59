import { COMPUTED_KEYS, SLOWEST_PHASES, SLOWEST_PREFIX } from "@liverl/contract/metric";
import { median } from "#verdict/statistics.ts";

/** Seconds of a rollout by its parts, queue left out: waiting for a place is no slowness of its own. */
export type PhaseSeconds = Record<(typeof SLOWEST_PHASES)[number], number | null>;

/** The slowest of a step's rollouts against the median, and where its time went. Empty with fewer than three. Pure. */
export function stragglerSeries(rows: readonly PhaseSeconds[]): Record<string, number> {
  const timed = rows
    .map((row) => ({ row, total: SLOWEST_PHASES.reduce((sum, name) => sum + (row[name] ?? 0), 0) }))
    .filter(({ total }) => total > 0);
  const usual = median(timed.map(({ total }) => total));
  if (timed.length < 3 || !(usual > 0)) return {};
  const { row, total } = timed.reduce((a, b) => (b.total > a.total ? b : a));
  return {
    [COMPUTED_KEYS.slowest]: total / usual,
    [COMPUTED_KEYS.slowestS]: total,
    ...Object.fromEntries(
      SLOWEST_PHASES.map((name) => [`${SLOWEST_PREFIX}${name}_s`, row[name] ?? 0]),
    ),
  };
}
