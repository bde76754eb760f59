import { statfs } from "node:fs/promises";
import { AppError } from "@liverl/contract/app-error";

/** What imports leave free on the disk: runs go on meanwhile. */
const SPARE_BYTES = 2e9;
const SPARE_FILES = 10_000;
/** How much is written, in bytes and in files, before the disk is asked again: far less than what is spared. */
const ASK_EVERY = { bytes: 16 * 1024 * 1024, files: 500 };

export interface FreeRoom {
  bytes: number;
  /** Files and folders that the file system still takes; null where it counts none. */
  files: number | null;
}

/** Room of a disk that several imports share: what one of them is about to write, the others do not count as free. */
export class DiskRoom {
  readonly #freeOn: (folder: string) => Promise<FreeRoom>;
  #held = 0;
  /** The last answer, and what was begun since. */
  #asked: { folder: string; free: FreeRoom; bytes: number; files: number } | null = null;

  constructor(freeOn = freeRoom) {
    this.#freeOn = freeOn;
  }

  /** Runs `write`, which writes so many bytes below the folder. Throws TOO_LARGE before it begins where there is no room. */
  async holdFor(folder: string, bytes: number, write: () => Promise<void>): Promise<void> {
    const before = this.#held;
    const free = await this.#recentlyFree(folder, bytes);
    // What was held while the disk was asked may have been written since it answered.
    const isFull = free.bytes - Math.max(before, this.#held) - bytes < SPARE_BYTES;
    if (isFull || (free.files !== null && free.files < SPARE_FILES))
      throw new AppError("TOO_LARGE", {
        userMessage: "The disk has no room for what is in this archive: free some, and try again.",
      });
    this.#held += bytes;
    try {
      await write();
    } finally {
      this.#held -= bytes;
    }
  }

  async #recentlyFree(folder: string, bytes: number): Promise<FreeRoom> {
    let asked = this.#asked;
    const isStale =
      asked === null ||
      asked.folder !== folder ||
      asked.bytes + bytes > ASK_EVERY.bytes ||
      asked.files >= ASK_EVERY.files;
    if (asked === null || isStale) {
      asked = { folder, free: await this.#freeOn(folder), bytes: 0, files: 0 };
      this.#asked = asked;
    }
    const { free } = asked;
    const left = {
      bytes: free.bytes - asked.bytes,
      files: free.files === null ? null : free.files - asked.files,
    };
    asked.bytes += bytes;
    asked.files += 1;
    return left;
  }
}

async function freeRoom(folder: string): Promise<FreeRoom> {
  const { bavail, bsize, ffree, files } = await statfs(folder);
  return { bytes: bavail * bsize, files: files > 0 ? ffree : null };
}
