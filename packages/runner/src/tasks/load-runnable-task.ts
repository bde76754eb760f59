import { refuseUnsupported, type TaskAbilities } from "#tasks/find-unsupported.ts";
import { type HarborTask, loadTask } from "#tasks/load-task.ts";

/** A task that can run here as it is. Throws BAD_REQUEST or NOT_FOUND with what stands in its way. */
export async function loadRunnableTask(
  folder: string,
  abilities: TaskAbilities,
): Promise<HarborTask> {
  const task = await loadTask(folder);
  refuseUnsupported(task, abilities);
  return task;
}
