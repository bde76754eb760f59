// Folders of tasks in Harbor's format, as a command line names them.
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { stop } from "./read-options.mjs";

const MAX_DEPTH = 8;
const SKIPPED = new Set(["node_modules", ".git"]);
const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
const isWithin = (root, path) => path === root || path.startsWith(`${root}/`);

/** `{folder, names}`: the tasks that a run would find in a folder (packages/durable, find-tasks.ts), by their paths below it. Ends where there are none. */
export function tasksIn(given) {
  if (!existsSync(given)) stop(`There is no folder ${given}.`);
  const folder = realpathSync(given);
  if (!isFolder(folder)) stop(`${given} is not a folder.`);
  const names = existsSync(join(folder, "registry.json")) ? registered(folder) : walk(folder);
  if (names.length === 0)
    stop(`${folder} has no task in Harbor's format: no task.toml in it or in a folder below.`);
  return { folder, names };
}

function walk(root) {
  const found = new Map();
  const visit = (path, ancestors) => {
    const given = join(root, path);
    const real = existsSync(given) ? realpathSync(given) : null;
    if (real === null || !isWithin(root, real) || !isFolder(real)) return;
    if (ancestors.includes(real) || found.has(real)) return;
    const names = readdirSync(real).sort();
    if (names.includes("task.toml")) found.set(real, path || ".");
    else if (ancestors.length < MAX_DEPTH)
      for (const name of names)
        if (!SKIPPED.has(name)) visit(join(path, name), [...ancestors, real]);
  };
  visit("", []);
  return [...found.values()];
}

function registered(root) {
  const sets = JSON.parse(readFileSync(join(root, "registry.json"), "utf8"));
  const local = sets.flatMap(({ tasks }) => tasks).filter(({ git_url }) => !git_url);
  const paths = local
    .map(({ path }) => path)
    .filter((path) => {
      const task = resolve(root, path);
      return existsSync(join(task, "task.toml")) && isWithin(root, realpathSync(task));
    });
  return [...new Map(paths.map((path) => [realpathSync(resolve(root, path)), path])).values()];
}

/** Absolute paths of the tasks that are given, each alone or by the folder that they lie in. */
export function taskFolders(given) {
  const folders = given.flatMap((path) => {
    const { folder, names } = tasksIn(path);
    return names.map((name) => realpathSync(join(folder, name)));
  });
  return [...new Set(folders)];
}
