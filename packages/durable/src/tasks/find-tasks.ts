import { readdir, readFile, realpath } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { z } from "zod";
import { isWithin, kindOf } from "#tasks/input-tree.ts";
import { readToml } from "#tasks/task-config.ts";

/** A folder with a `task.toml`, not yet looked into. */
export interface FoundTask {
  /** The folder's real path. */
  folder: string;
  /** Its path below the data set, which tells tasks of one set apart. */
  path: string;
}

export interface FoundTasks {
  /** The data set's name: its manifest's, else its folder's. */
  name: string;
  /** In the order of their paths, or of the registry. */
  tasks: FoundTask[];
  /** What was passed over, each with what to do. */
  problems: string[];
}

export const TASK_FILE = "task.toml";
const REGISTRY_FILE = "registry.json";
const MANIFEST_FILE = "dataset.toml";
const MAX_DEPTH = 8;
const SKIPPED = new Set(["node_modules", ".git"]);

/**
 * All tasks of a folder: the folder itself, `registry.json` with local paths, or every folder below it with a
 * `task.toml`, at any depth. What lies outside of it is never taken, through links neither. Throws NOT_FOUND where
 * there is no task.
 */
export async function findTasks(path: string): Promise<FoundTasks> {
  const root = await realpath(path).catch((cause) => {
    throw new AppError("NOT_FOUND", { userMessage: `There is no folder ${path}.`, cause });
  });
  if ((await kindOf(root)) !== "folder")
    throw new AppError("BAD_REQUEST", { userMessage: `${path} is no folder.` });
  const problems: string[] = [];
  const name = await nameOf(root);
  const registered = await readRegistry(root, problems);
  const tasks = registered ?? (await walk(root, problems));
  if (tasks.length > 0) return { name, tasks, problems };
  const why = problems.length > 0 ? `\n${problems.join("\n")}` : "";
  throw new AppError("NOT_FOUND", {
    userMessage: `${path} has no task in Harbor's format: no ${TASK_FILE} in it or in a folder below.${why}`,
  });
}

async function walk(root: string, problems: string[]): Promise<FoundTask[]> {
  const found = new Map<string, FoundTask>();
  const visit = async (path: string, ancestors: readonly string[]): Promise<void> => {
    const real = await realpath(join(root, path)).catch(() => null);
    if (real === null || !isWithin(root, real)) {
      problems.push(`${join(root, path)} leads out of the folder, or nowhere: left out.`);
      return;
    }
    if (ancestors.includes(real) || found.has(real) || (await kindOf(real)) !== "folder") return;
    const names = await readdir(real);
    if (names.includes(TASK_FILE)) {
      found.set(real, { folder: real, path: path || basename(root) });
      return;
    }
    if (ancestors.length >= MAX_DEPTH) return;
    const folders = names.filter((name) => !SKIPPED.has(name)).sort();
    for (const name of folders) await visit(join(path, name), [...ancestors, real]);
  };
  await visit("", []);
  return [...found.values()];
}

const Registry = z.array(
  z.object({
    name: z.string(),
    tasks: z.array(z.object({ name: z.string(), git_url: z.string().nullish(), path: z.string() })),
  }),
);

/** Harbor's older list of data sets. Null where there is none. */
async function readRegistry(root: string, problems: string[]): Promise<FoundTask[] | null> {
  const file = join(root, REGISTRY_FILE);
  const text = await readInside(root, REGISTRY_FILE);
  if (text === null) return null;
  const parsed = Registry.safeParse(readJson(text, file));
  if (!parsed.success) {
    throw new AppError("BAD_REQUEST", {
      userMessage: `${file} is no registry of Harbor: it must be a list of data sets with name and tasks, each task with name and path.`,
      cause: parsed.error,
    });
  }
  const found = new Map<string, FoundTask>();
  for (const { name, git_url: gitUrl, path } of parsed.data.flatMap(({ tasks }) => tasks)) {
    if (gitUrl) {
      problems.push(`${file}: ${name} lies in ${gitUrl}: clone it and take the folder.`);
      continue;
    }
    const folder = await realpath(resolve(root, path)).catch(() => null);
    if (folder === null || !isWithin(root, folder))
      problems.push(`${file}: the path of ${name}, ${path}, leads out of the folder, or nowhere.`);
    else if ((await kindOf(join(folder, TASK_FILE))) !== "file")
      problems.push(`${file}: ${name} has no ${TASK_FILE} in ${path}.`);
    else found.set(folder, { folder, path });
  }
  return [...found.values()];
}

function readJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("BAD_REQUEST", { userMessage: `${file} is not JSON.`, cause });
  }
}

async function nameOf(root: string): Promise<string> {
  const text = await readInside(root, MANIFEST_FILE);
  const table = text === null ? {} : readToml(text, join(root, MANIFEST_FILE));
  const named = z.object({ dataset: z.object({ name: z.string().min(1) }) }).safeParse(table);
  return named.success ? named.data.dataset.name : basename(root);
}

async function readInside(root: string, name: string): Promise<string | null> {
  const real = await realpath(join(root, name)).catch(() => null);
  if (real === null || !isWithin(root, real) || (await kindOf(real)) !== "file") return null;
  return await readFile(real, "utf8");
}
