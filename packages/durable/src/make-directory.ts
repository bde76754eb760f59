import { chmod, mkdir } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * The folder, with those above it. Node's own `recursive` never returns where a file system refuses new folders with ENOENT, as
 * /proc does.
 */
export async function makeDirectory(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "EEXIST") return;
    const parent = dirname(path);
    if (code !== "ENOENT" || parent === path) throw error;
    await makeDirectory(parent, mode);
    await mkdir(path, { mode }).catch((again) => {
      if (again.code !== "EEXIST") throw again;
    });
  }
}

/** A folder that every user may look into, whatever this process's umask is. */
export async function makeOpenDirectory(path: string): Promise<void> {
  await makeDirectory(path);
  await chmod(path, 0o755);
}
