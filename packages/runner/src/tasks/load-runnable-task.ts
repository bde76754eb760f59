import { AppError } from "@liverl/contract/app-error";
import { refuseUnsupported, type TaskAbilities } from "#tasks/find-unsupported.ts";
import { type HarborTask, loadTask } from "#tasks/load-task.ts";

/** A task that can run here as it is. Throws BAD_REQUEST or NOT_FOUND with what stands in its way. */
export async function loadRunnableTask(
  folder: string,
  abilities: TaskAbilities,
): Promise<HarborTask> {
  const task = await loadTask(folder);
  refuseUnsupported(task, abilities);
  const excluding = task.config.artifacts.find(({ exclude }) => exclude.length > 0);
  if (!excluding) return task;
  throw new AppError("BAD_REQUEST", {
    userMessage: `${folder}/task.toml: artifacts: exclude can not be had here; remove it from ${excluding.source}.`,
  });
}
