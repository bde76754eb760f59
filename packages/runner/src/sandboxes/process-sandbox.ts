import { constants } from "node:fs";
import { mkdir, open, realpath, rm, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { AppError } from "@liverl/contract/app-error";

/**
 * A folder of files that one trial works on, and nothing more: no user, no namespace, no network of its own.
 * For the embedded run and tests only, where the agent is ours and candidates' code runs in confined workers.
 */
export interface ProcessSandbox {
  readonly root: string;
  /** Text of a file; paths are relative and stay inside, also through links. */
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
  destroy(): Promise<void>;
}

const MAX_FILE_BYTES = 1024 * 1024;

/** Makes the folder with its files; what an earlier life left there goes away first. */
export async function createProcessSandbox(
  root: string,
  files: Readonly<Record<string, string>>,
): Promise<ProcessSandbox> {
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  const folders = new Set(Object.keys(files).map((path) => dirname(path)));
  await Promise.all([...folders].map((folder) => mkdir(join(root, folder), { recursive: true })));
  await Promise.all(Object.entries(files).map(([path, text]) => writeFile(join(root, path), text)));
  return openProcessSandbox(root);
}

/** A sandbox that exists. Throws NOT_FOUND where it does not. */
export async function openProcessSandbox(root: string): Promise<ProcessSandbox> {
  const realRoot = await realpath(root).catch((cause) => {
    throw new AppError("NOT_FOUND", { userMessage: "This sandbox is gone.", message: root, cause });
  });
  return {
    root: realRoot,
    read: async (path) => {
      const handle = await openInside(realRoot, path, constants.O_RDONLY);
      try {
        if ((await handle.stat()).size > MAX_FILE_BYTES)
          throw new AppError("TOO_LARGE", { userMessage: `${path} is too large.` });
        return await handle.readFile("utf8");
      } finally {
        await handle.close();
      }
    },
    write: async (path, text) => {
      const handle = await openInside(realRoot, path, constants.O_WRONLY | constants.O_TRUNC);
      try {
        await handle.writeFile(text);
      } finally {
        await handle.close();
      }
    },
    destroy: () => rm(realRoot, { recursive: true, force: true }),
  };
}

/** Opens an existing file whose real folder lies inside the root; the last part may not be a link. */
async function openInside(root: string, path: string, flags: number) {
  const outside = () =>
    new AppError("FORBIDDEN", { userMessage: "This path leaves the sandbox.", message: path });
  if (isAbsolute(path) || path.includes("\0")) throw outside();
  const wanted = resolve(root, path);
  const folder = await realpath(dirname(wanted)).catch(() => null);
  if (folder === null || !isWithin(root, folder)) throw outside();
  try {
    return await open(join(folder, basename(wanted)), flags | constants.O_NOFOLLOW);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ELOOP") throw outside();
    throw new AppError("NOT_FOUND", { userMessage: `There is no file ${path}.`, cause });
  }
}

function isWithin(root: string, folder: string): boolean {
  const way = relative(root, folder);
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
}
