import { stat } from "node:fs/promises";
import { AppError } from "@liverl/contract/app-error";
import { faultOfTask } from "@liverl/durable/tasks/check-task";
import { type FoundTask, findTasks } from "@liverl/durable/tasks/find-tasks";
import { expandHome } from "#launch/verl-evidence/expand-home.ts";
import type { HarborEvidence } from "#launch/verl-evidence/verl-evidence.ts";

const AT_ONCE = 32;

/** The tasks that a run finds in a folder, each with its task.toml read. */
export async function readHarborFolder(path: string, isRemote: boolean): Promise<HarborEvidence> {
  const folder = expandHome(path);
  const found = await stat(folder).catch(() => null);
  if (!found?.isDirectory()) {
    if (isRemote && found === null) return { state: "elsewhere", path };
    const message = found === null ? "there is no such folder" : "it is not a folder";
    return { state: "unreadable", path, message };
  }
  try {
    const { tasks } = await findTasks(folder);
    return { state: "read", path, tasks: tasks.length, broken: await findBroken(tasks) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "NOT_FOUND") return { state: "read", path, tasks: 0, broken: [] };
    return { state: "unreadable", path, message: error.userMessage };
  }
}

async function findBroken(tasks: readonly FoundTask[]) {
  const faults = new Map<number, string>();
  const left = tasks.entries();
  const check = async () => {
    for (const [at, { folder }] of left) {
      const fault = await faultOfTask(folder);
      if (fault !== null) faults.set(at, fault);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, check));
  return tasks.flatMap(({ path }, at) => {
    const reason = faults.get(at);
    return reason === undefined ? [] : [{ path, reason }];
  });
}
