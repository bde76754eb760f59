import { createWriteStream } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { AppError } from "@liverl/contract/app-error";
import { type Entry, extract } from "tar-stream";
import type { z } from "zod";
import { ArchiveEnd, ArchiveHead, END, HEAD, refuse, safeParts } from "#archives/archive-format.ts";
import type { DiskRoom } from "#archives/disk-room.ts";

const MOST_ENTRIES = 3_000_000;
/** A trial has a handful; a name that is all folders makes dozens of them with one entry. */
export const MOST_FOLDERS = 1_000_000;
const MOST_ROWS_BYTES = 64 * 1024 * 1024;

/**
 * Writes what is in an archive into an empty folder, and answers with its head. Nothing but regular files with names that
 * stay inside is taken, and no more than the disk has room for, whatever the archive says of itself. `onHead` may refuse it
 * before the rest is read.
 */
export async function unpackArchive(
  source: Readable,
  folder: string,
  {
    room,
    onHead,
    mostFolders = MOST_FOLDERS,
  }: { room: DiskRoom; onHead: (head: ArchiveHead) => Promise<void>; mostFolders?: number },
): Promise<ArchiveHead> {
  const unpacked = new Unpacked(folder, room, mostFolders);
  const tar = extract();
  const reading = pipeline(source, createGunzip(), tar);
  // Told by the loop below, where it is what ended it.
  reading.catch(() => undefined);
  try {
    for await (const entry of tar) {
      await unpacked.take(entry);
      if (unpacked.head && unpacked.entries === 1) await onHead(unpacked.head);
    }
    await reading;
  } catch (error) {
    source.destroy();
    if (error instanceof AppError) throw error;
    throw refuse(error instanceof Error ? error.message : String(error));
  }
  return unpacked.finish();
}

class Unpacked {
  head: ArchiveHead | null = null;
  entries = 0;
  #folders = 0;
  readonly #folder: string;
  readonly #room: DiskRoom;
  readonly #mostFolders: number;

  constructor(folder: string, room: DiskRoom, mostFolders: number) {
    this.#folder = folder;
    this.#room = room;
    this.#mostFolders = mostFolders;
  }

  async take(entry: Entry): Promise<void> {
    const { name, size = 0, type } = entry.header;
    const parts = safeParts(name);
    if (type !== "file") throw refuse(`${name} is a ${type}, and not a file`);
    if (this.entries === 0 && name !== HEAD) throw refuse(`it does not begin with ${HEAD}`);
    if (++this.entries > MOST_ENTRIES) throw refuse(`it has more than ${MOST_ENTRIES} files`);
    const isSmall = parts[0] === "rows" || parts.length === 1;
    if (isSmall && size > MOST_ROWS_BYTES) throw refuse(`${name} has ${size} bytes`);
    const path = join(this.#folder, ...parts);
    await this.#room.holdFor(this.#folder, size, async () => {
      await this.#makeFolder(dirname(path));
      // A name that stands twice is a fault, too.
      await pipeline(entry, createWriteStream(path, { flags: "wx", mode: 0o600 }));
    });
    if (name === HEAD) this.head = await this.#read(HEAD, ArchiveHead);
  }

  async #makeFolder(path: string): Promise<void> {
    const first = await mkdir(path, { recursive: true });
    if (first === undefined) return;
    // The first that was not there, and those below it.
    this.#folders += 1 + relative(first, path).split(sep).filter(Boolean).length;
    if (this.#folders > this.#mostFolders)
      throw refuse(`it has more than ${this.#mostFolders} folders`);
  }

  async finish(): Promise<ArchiveHead> {
    if (this.head === null) throw refuse("it is empty");
    const { entries } = await this.#read(END, ArchiveEnd);
    // The end itself is not in its count.
    if (entries !== this.entries - 1)
      throw refuse(`it has ${this.entries - 1} files, and should have ${entries}`);
    return this.head;
  }

  async #read<S extends z.ZodType>(name: string, schema: S): Promise<z.infer<S>> {
    const text = await readFile(join(this.#folder, name), "utf8").catch(() => null);
    if (text === null) throw refuse("it was cut off: fetch it again");
    try {
      return schema.parse(JSON.parse(text));
    } catch (cause) {
      throw new AppError("BAD_REQUEST", {
        userMessage: `The archive's ${name} is not one of this version of LiveRL.`,
        cause,
      });
    }
  }
}
