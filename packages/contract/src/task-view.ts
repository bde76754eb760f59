import { z } from "zod";

/** A task at one step: columns of equal length, by step. */
export const TaskCells = z.object({
  step: z.array(z.number().int()),
  /** Rollouts that ended, and those of them with a reward. */
  ended: z.array(z.number().int()),
  known: z.array(z.number().int()),
  /** With a reward of 1 or more. */
  solved: z.array(z.number().int()),
  mean: z.array(z.number().nullable()),
  /** Rollouts with a sign that the reward was not earned. */
  flagged: z.array(z.number().int()),
  /** Mean of the tokens that a rollout sampled. */
  sampled: z.array(z.number()),
  groupId: z.array(z.string()),
});
export type TaskCells = z.infer<typeof TaskCells>;

export const TaskRow = z.object({ task: z.string(), runId: z.string(), cells: TaskCells });
export type TaskRow = z.infer<typeof TaskRow>;
export const TaskRows = z.object({
  rows: z.array(TaskRow),
  /** Names that there are, with those that are not in `rows`. */
  total: z.number().int(),
  /** Different tasks behind the names: where they are more than `total`, some share a name, and with it a row. */
  tasks: z.number().int(),
});
export type TaskRows = z.infer<typeof TaskRows>;

/** A task over all runs of a project. */
export const ProjectTask = z.object({
  task: z.string(),
  runs: z.number().int(),
  /** Rollouts that ended, and those of them with a reward. */
  ended: z.number().int(),
  known: z.number().int(),
  /** With a reward of 1 or more. */
  solved: z.number().int(),
  mean: z.number().nullable(),
  /** Rollouts with a sign that the reward was not earned. */
  flagged: z.number().int(),
});
export type ProjectTask = z.infer<typeof ProjectTask>;
export const ProjectTasks = z.object({
  rows: z.array(ProjectTask),
  /** Names that there are, with those that are not in `rows`. */
  total: z.number().int(),
  /** Different tasks behind the names: where they are more than `total`, some share a name, and with it a row. */
  tasks: z.number().int(),
});
export type ProjectTasks = z.infer<typeof ProjectTasks>;
