import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { TASK_FILE } from "#tasks/find-tasks.ts";
import { kindOf } from "#tasks/input-tree.ts";
import { parseTaskConfig } from "#tasks/task-config.ts";

/** What is wrong with a task's own text, with file and key; null where its task.toml and instructions can be read. */
export async function faultOfTask(folder: string): Promise<string | null> {
  const file = join(folder, TASK_FILE);
  try {
    const { config } = parseTaskConfig(await readFile(file, "utf8"), file);
    const prompts = config.steps?.length
      ? config.steps.map(({ name }) => join("steps", name, "instruction.md"))
      : ["instruction.md"];
    for (const prompt of prompts)
      if ((await kindOf(join(folder, prompt))) !== "file")
        return `${join(folder, prompt)}: this file is missing. It is the agent's prompt.`;
    return null;
  } catch (error) {
    return error instanceof AppError
      ? error.userMessage
      : `${file} cannot be read: ${String(error)}`;
  }
}
