import { printValue } from "@liverl/contract/filter/print-filter";
import type { TaskRow } from "@liverl/contract/task-view";

export const PICKS = ["best", "worst", "latest"] as const;
export type Pick = (typeof PICKS)[number];

/** Mean reward of a run's rollouts of a task, over all steps; null where none had a reward. */
interface Tried {
  rollouts: number;
  mean: number | null;
}
export interface SharedTask {
  task: string;
  a: Tried;
  b: Tried;
  /** Mean of b less that of a; null where one is not known. */
  difference: number | null;
}

/** Tasks that both runs tried, the largest difference first, what is not known last. */
export function prepareShared(a: readonly TaskRow[], b: readonly TaskRow[]): SharedTask[] {
  const others = new Map(b.map((row) => [row.task, row]));
  const shared = a.flatMap((row) => {
    const other = others.get(row.task);
    if (other === undefined) return [];
    const [one, two] = [triedOf(row), triedOf(other)];
    const difference = one.mean === null || two.mean === null ? null : two.mean - one.mean;
    return [{ task: row.task, a: one, b: two, difference }];
  });
  const size = ({ difference }: SharedTask) => (difference === null ? -1 : Math.abs(difference));
  return shared.sort(
    (one, two) =>
      size(two) - size(one) || one.task.localeCompare(two.task, undefined, { numeric: true }),
  );
}

function triedOf({ cells }: TaskRow): Tried {
  let known = 0;
  let sum = 0;
  for (const [at, mean] of cells.mean.entries()) {
    const count = cells.known[at] ?? 0;
    if (mean === null) continue;
    known += count;
    sum += mean * count;
  }
  const rollouts = cells.ended.reduce((total, count) => total + count, 0);
  return { rollouts, mean: known === 0 ? null : sum / known };
}

const SORT_OF: Record<Pick, string> = { best: "-reward", worst: "reward", latest: "-step" };

/** What finds the picked rollout of a task in a run: the first that this lists. */
export function pickQuery(
  runId: string,
  { task, mode, pick }: { task: string; mode: "train" | "eval"; pick: Pick },
): { runId: string; f: string; sort: string; limit: number } {
  const ended = "(status = succeeded or status = failed)";
  const f = `task = ${printValue(task)} and mode = ${mode} and ${ended}`;
  return { runId, f, sort: SORT_OF[pick], limit: 1 };
}
