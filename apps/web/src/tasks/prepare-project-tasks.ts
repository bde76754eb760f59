import type { ProjectTask } from "@liverl/contract/task-view";

export const PROJECT_TASK_SORTS = ["solved", "mean", "rollouts", "runs", "name"] as const;
export type ProjectTaskSort = (typeof PROJECT_TASK_SORTS)[number];

export interface PreparedTask extends ProjectTask {
  /** Share of the rollouts with a reward that solved it, which is pass@1; null where none has one. */
  passAt1: number | null;
}

const KEY_OF: Record<Exclude<ProjectTaskSort, "name">, (task: PreparedTask) => number | null> = {
  solved: ({ passAt1 }) => passAt1,
  mean: ({ mean }) => mean,
  rollouts: ({ ended }) => ended,
  runs: ({ runs }) => runs,
};

/** Tasks whose name holds a text, in an order; what is not known stands last, equals by name. */
export function prepareProjectTasks(
  tasks: readonly ProjectTask[],
  { sort, isAscending, name }: { sort: ProjectTaskSort; isAscending: boolean; name: string },
): PreparedTask[] {
  const wanted = name.trim().toLowerCase();
  const sign = isAscending ? 1 : -1;
  return tasks
    .filter(({ task }) => task.toLowerCase().includes(wanted))
    .map((task) => ({ ...task, passAt1: task.known === 0 ? null : task.solved / task.known }))
    .sort((a, b) => {
      const names = a.task.localeCompare(b.task, undefined, { numeric: true });
      if (sort === "name") return names * sign;
      const [left, right] = [KEY_OF[sort](a), KEY_OF[sort](b)];
      if (left === null || right === null) return left === right ? names : left === null ? 1 : -1;
      return (left - right) * sign || names;
    });
}
