import { constants } from "node:fs";
import {
  type FileHandle,
  mkdir,
  open,
  realpath,
  rm,
  rmdir,
  unlink,
  writeFile,
} from "node:fs/promises";
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
}

const MAX_FILE_BYTES = 1024 * 1024;
const USUAL_FILE_BYTES = 16 * 1024;

/** The sandbox as its owner has it. */
export interface OwnedSandbox extends ProcessSandbox {
  destroy(): Promise<void>;
}

/** Makes the folder with its files, and refuses one that is there: a session has a folder to itself. */
export async function createProcessSandbox(
  root: string,
  files: Readonly<Record<string, string>>,
): Promise<OwnedSandbox> {
  const folders = new Set(Object.keys(files).map((path) => dirname(path)));
  folders.delete(".");
  await mkdir(root);
  for (const folder of folders) await mkdir(join(root, folder), { recursive: true });
  await Promise.all(Object.entries(files).map(([path, text]) => writeFile(join(root, path), text)));
  const destroy = async () => {
    try {
      await Promise.all(Object.keys(files).map((path) => unlink(join(root, path))));
      for (const folder of folders) await rmdir(join(root, folder));
      await rmdir(root);
    } catch {
      // Something else is in it: the slow way takes all.
      await rm(root, { recursive: true, force: true });
    }
  };
  return { ...(await openProcessSandbox(root)), destroy };
}

/** A sandbox that exists. Throws NOT_FOUND where it does not. */
export async function openProcessSandbox(root: string): Promise<ProcessSandbox> {
  const realRoot = await realpath(root).catch((cause) => {
    throw new AppError("NOT_FOUND", { userMessage: "This sandbox is gone.", message: root, cause });
  });
  const openInside = insideOpener(realRoot);
  return {
    root: realRoot,
    read: async (path) => {
      const handle = await openInside(path, constants.O_RDONLY);
      try {
        return await readSmall(handle, path);
      } finally {
        await handle.close();
      }
    },
    write: async (path, text) => {
      const handle = await openInside(path, constants.O_WRONLY | constants.O_TRUNC);
      try {
        await handle.writeFile(text);
      } finally {
        await handle.close();
      }
    },
  };
}

/** The whole file: one read for most. Throws TOO_LARGE. */
async function readSmall(handle: FileHandle, path: string): Promise<string> {
  const buffer = Buffer.allocUnsafe(USUAL_FILE_BYTES);
  const { bytesRead } = await handle.read(buffer, 0, USUAL_FILE_BYTES, 0);
  if (bytesRead < USUAL_FILE_BYTES) return buffer.toString("utf8", 0, bytesRead);
  const { size } = await handle.stat();
  if (size > MAX_FILE_BYTES)
    throw new AppError("TOO_LARGE", { userMessage: `${path} is too large.` });
  const rest = Buffer.alloc(size);
  const read = await handle.read(rest, 0, size, 0);
  return rest.toString("utf8", 0, read.bytesRead);
}

/** Opens existing files whose real folder lies inside the root; the last part may not be a link. */
function insideOpener(root: string): (path: string, flags: number) => Promise<FileHandle> {
  const outside = (path: string) =>
    new AppError("FORBIDDEN", { userMessage: "This path leaves the sandbox.", message: path });
  // Looked up once: nothing that works on a sandbox through here can make a folder or a link in it.
  const folders = new Map<string, string>();
  return async (path, flags) => {
    if (isAbsolute(path) || path.includes("\0")) throw outside(path);
    const wanted = resolve(root, path);
    const folder =
      folders.get(dirname(wanted)) ?? (await realpath(dirname(wanted)).catch(() => null));
    if (folder === null || !isWithin(root, folder)) throw outside(path);
    folders.set(dirname(wanted), folder);
    try {
      return await open(join(folder, basename(wanted)), flags | constants.O_NOFOLLOW);
    } catch (cause) {
      if (cause instanceof Error && "code" in cause && cause.code === "ELOOP") throw outside(path);
      throw new AppError("NOT_FOUND", { userMessage: `There is no file ${path}.`, cause });
    }
  };
}

function isWithin(root: string, folder: string): boolean {
  const way = relative(root, folder);
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
}
