// Folders of tasks in Harbor's format, as a command line names them.
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { stop } from "./read-options.mjs";

/** One of several steps has their instructions below `steps/`. */
const isTask = (folder) =>
  existsSync(join(folder, "task.toml")) &&
  ["instruction.md", "steps"].some((part) => existsSync(join(folder, part)));

/** `{folder, names}` of the tasks that lie directly in a folder. Ends where there are none. */
export function tasksIn(given) {
  if (!existsSync(given)) stop(`There is no folder ${given}.`);
  const folder = realpathSync(given);
  const names = readdirSync(folder)
    .filter((name) => isTask(join(folder, name)))
    .sort();
  if (names.length === 0)
    stop(`${folder} has no folder with a task.toml and an instruction.md, or steps.`);
  return { folder, names };
}

/** Absolute paths of the tasks that are given, each alone or by the folder that they lie in. */
export function taskFolders(given) {
  const folders = given.flatMap((path) => {
    if (existsSync(path) && isTask(path)) return [realpathSync(path)];
    const { folder, names } = tasksIn(path);
    return names.map((name) => join(folder, name));
  });
  return [...new Set(folders)];
}
