import type { TaskRow } from "@liverl/contract/task-view";
import { type JudgedTask, judgeTask, TASK_MARKS, type TaskMark } from "#tasks/judge-task.ts";

export const TASK_SORTS = ["change", "mean", "variance", "slope", "flipped", "name"] as const;
export type TaskSort = (typeof TASK_SORTS)[number];

const KEY_OF: Record<Exclude<TaskSort, "name">, (task: JudgedTask) => number | null> = {
  change: (task) => task.change,
  mean: (task) => task.mean,
  variance: (task) => task.variance,
  slope: (task) => task.slope,
  flipped: (task) => task.flippedAt,
};

export interface PreparedTasks {
  rows: JudgedTask[];
  counts: Record<TaskMark, number>;
  firstStep: number;
  lastStep: number;
}

/** Tasks with what their visits say, in an order, of one mark or all, whose name holds a text. */
export function prepareTasks(
  tasks: readonly TaskRow[],
  wish: { sort: TaskSort; mark: TaskMark | null; name: string },
): PreparedTasks {
  const judged = tasks.map(judgeTask);
  const counts = Object.fromEntries(TASK_MARKS.map((mark) => [mark, 0])) as Record<
    TaskMark,
    number
  >;
  for (const { mark } of judged) if (mark !== null) counts[mark] += 1;
  const name = wish.name.trim().toLowerCase();
  const rows = judged.filter(
    (task) =>
      (wish.mark === null || task.mark === wish.mark) && task.task.toLowerCase().includes(name),
  );
  const steps = tasks.flatMap(({ cells }) => [cells.step[0] ?? 0, cells.step.at(-1) ?? 0]);
  return {
    rows: rows.sort((a, b) => compareBy(wish.sort, a, b)),
    counts,
    firstStep: steps.reduce((least, step) => Math.min(least, step), Number.POSITIVE_INFINITY),
    lastStep: steps.reduce((most, step) => Math.max(most, step), 0),
  };
}

/** The largest first, what is unknown last, equals by name. */
function compareBy(sort: TaskSort, a: JudgedTask, b: JudgedTask): number {
  const names = a.task.localeCompare(b.task, undefined, { numeric: true });
  if (sort === "name") return names;
  const left = KEY_OF[sort](a);
  const right = KEY_OF[sort](b);
  if (left === null || right === null) return left === right ? names : left === null ? 1 : -1;
  return right - left || names;
}
