import { mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { unpackArchive } from "#sandboxes/unpack-archive.ts";
import { digestTask } from "#tasks/task-digest.ts";
import { TrialError } from "#trials/trial-error.ts";

/** Folders of tasks by their digest, each fetched once. */
export class TaskCache {
  readonly #folder: string;
  readonly #coming = new Map<string, Promise<string>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The task's folder. Throws where what came is not what was asked for; the next asks again. */
  ensure(digest: string, name: string, fetch: () => Promise<Readable>): Promise<string> {
    const key = `${digest}/${name}`;
    const known = this.#coming.get(key);
    if (known !== undefined) return known;
    const coming = this.#fetch(digest, name, fetch).catch((error: unknown) => {
      this.#coming.delete(key);
      throw error;
    });
    this.#coming.set(key, coming);
    return coming;
  }

  async #fetch(digest: string, name: string, fetch: () => Promise<Readable>): Promise<string> {
    // The folder's own name is the task's where its file gives it none.
    const folder = join(this.#folder, digest, name);
    if (await exists(folder)) return folder;
    await mkdir(this.#folder, { recursive: true });
    const making = await mkdtemp(join(this.#folder, "making-"));
    try {
      const { leftOut } = await unpackArchive(await fetch(), making);
      if (leftOut.length > 0 || (await digestTask(making)) !== digest)
        throw new TrialError(
          "TaskTransferError",
          `The task's folder did not come whole${leftOut.length > 0 ? `: ${leftOut.slice(0, 3).join(", ")} and the like are too large` : ""}. It may have changed meanwhile.`,
        );
      await mkdir(dirname(folder), { recursive: true });
      await rename(making, folder);
    } finally {
      await rm(making, { recursive: true, force: true });
    }
    return folder;
  }
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
