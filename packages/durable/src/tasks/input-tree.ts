import { readdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { AppError } from "@liverl/contract/app-error";

/** Whether a real path lies in a real folder. */
export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** What is there, also through links; null when nothing is. */
export async function kindOf(path: string): Promise<"file" | "folder" | "other" | null> {
  const found = await stat(path).catch(() => null);
  if (!found) return null;
  return found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
}

/**
 * Throws BAD_REQUEST where something in a folder of a task leads out of the task through a link, links go round in
 * circles, or something is neither a file nor a folder. `root` is the task's real folder.
 */
export async function checkInputTree(folder: string, root: string): Promise<void> {
  const checked = new Set<string>();
  const visit = async (path: string, ancestors: ReadonlySet<string>): Promise<void> => {
    const real = await realpath(path).catch(() => null);
    if (real === null || !isWithin(root, real)) {
      throw new AppError("BAD_REQUEST", {
        userMessage: `${path}: this link leads out of the task, or nowhere. Put the file itself into the task's folder.`,
      });
    }
    const kind = await kindOf(real);
    if (kind === "other") {
      throw new AppError("BAD_REQUEST", {
        userMessage: `${path}: a task may only hold files and folders. Remove it.`,
      });
    }
    if (kind !== "folder" || checked.has(real)) return;
    if (ancestors.has(real)) {
      throw new AppError("BAD_REQUEST", {
        userMessage: `${path}: this link leads back to a folder that it is in. Remove it.`,
      });
    }
    const inside = new Set([...ancestors, real]);
    for (const name of await readdir(real)) await visit(join(path, name), inside);
    checked.add(real);
  };
  if (await kindOf(folder)) await visit(folder, new Set());
}

/**
 * Throws BAD_REQUEST where anything in a task's folder is neither a file nor a folder, nor a link to one: whoever opens a
 * pipe waits for its other end.
 */
export async function refuseSpecialFiles(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() || entry.isDirectory()) continue;
    // A link that leads nowhere is judged where it is used.
    if (entry.isSymbolicLink() && (await kindOf(path)) !== "other") continue;
    throw new AppError("BAD_REQUEST", {
      userMessage: `${path}: a task may only hold files and folders. Remove it.`,
    });
  }
}
