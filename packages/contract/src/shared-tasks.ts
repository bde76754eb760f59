import type { TaskRow } from "#task-view.ts";

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
export function sharedTasks(a: readonly TaskRow[], b: readonly TaskRow[]): SharedTask[] {
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
