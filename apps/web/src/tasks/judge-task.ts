import type { TaskCells, TaskRow } from "@liverl/contract/task-view";

export const TASK_MARKS = ["suspect", "learned", "forgotten", "flipped", "never solved"] as const;
export type TaskMark = (typeof TASK_MARKS)[number];

export interface JudgedTask extends TaskRow {
  /** Mean reward of all visits; null where none had a reward. */
  mean: number | null;
  /** Of the visits' means. */
  variance: number;
  /** Change of the mean from visit to visit, by least squares; null before the second visit, as `change`. */
  slope: number | null;
  /** Mean of the newest visit, and its change against the first one. */
  last: number | null;
  change: number | null;
  /** Step of the newest flip; null where there was none. */
  flippedAt: number | null;
  mark: TaskMark | null;
}

const LOW = 0.25;
const HIGH = 0.75;
/** A change of so much between two visits is a flip, or a fall that is forgetting. */
const FLIP = 0.5;
/** Visits at either end that a mark looks at, where there are enough: one visit is never at both ends. */
const END = 2;
/** Fewer rollouts without a solution say nothing. */
const NEVER_ROLLOUTS = 8;
/** Solved with so much less sampled than before is a short cut, or a very good idea. */
const SHORTER = 0.6;

/** What a task's visits say. A visit without a reward is left out: it is no failure of the policy. */
export function judgeTask(row: TaskRow): JudgedTask {
  const { cells } = row;
  const visits = cells.step.flatMap((step, at) => {
    const mean = cells.mean[at] ?? null;
    return mean === null ? [] : [{ step, mean, at }];
  });
  const means = visits.map(({ mean }) => mean);
  const mean = average(means);
  const end = Math.max(1, Math.min(END, Math.floor(means.length / 2)));
  const [first, last] = [means.at(0) ?? null, means.at(-1) ?? null];
  const flips = visits.filter(
    ({ mean: here }, at) => at > 0 && Math.abs(here - (means[at - 1] ?? here)) >= FLIP,
  );
  const judged = {
    ...row,
    mean,
    variance: average(means.map((one) => (one - (mean ?? 0)) ** 2)) ?? 0,
    slope: slopeOf(means),
    last,
    change: first === null || last === null || means.length < 2 ? null : last - first,
    flippedAt: flips.at(-1)?.step ?? null,
  };
  return {
    ...judged,
    mark: markOf(
      cells,
      visits,
      average(means.slice(0, end)),
      average(means.slice(-end)),
      judged.flippedAt,
    ),
  };
}

type Visit = { step: number; mean: number; at: number };

function markOf(
  cells: TaskCells,
  visits: readonly Visit[],
  first: number | null,
  last: number | null,
  flippedAt: number | null,
): TaskMark | null {
  if (first === null || last === null) return null;
  if (isSuspect(cells, visits)) return "suspect";
  const rollouts = cells.known.reduce((sum, known) => sum + known, 0);
  const solved = cells.solved.reduce((sum, one) => sum + one, 0);
  if (solved === 0) return rollouts >= NEVER_ROLLOUTS ? "never solved" : null;
  const best = Math.max(...visits.map(({ mean }) => mean));
  if (best >= HIGH && last <= best - FLIP) return "forgotten";
  if (first <= LOW && last >= HIGH) return "learned";
  return flippedAt !== null && visits.slice(-END - 1).some(({ step }) => step === flippedAt)
    ? "flipped"
    : null;
}

/** Solved from one visit to the next, after visits that failed, with integrity flags or with far less sampled. */
function isSuspect(cells: TaskCells, visits: readonly Visit[]): boolean {
  return visits.some((visit, at) => {
    if (at < END || visit.mean < HIGH) return false;
    const before = visits.slice(0, at);
    if ((average(before.map(({ mean }) => mean)) ?? 1) > LOW) return false;
    const sampled = average(before.map((one) => cells.sampled[one.at] ?? 0)) ?? 0;
    const isShorter = (cells.sampled[visit.at] ?? 0) < sampled * SHORTER;
    return isShorter || (cells.flagged[visit.at] ?? 0) > 0;
  });
}

function average(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length;
}

function slopeOf(values: readonly number[]): number | null {
  const middle = (values.length - 1) / 2;
  const mean = average(values) ?? 0;
  const spread = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  if (spread === 0) return null;
  return values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0) / spread;
}
