import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, posix } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Pack, pack } from "tar-stream";

const FOLDER_MODE = 0o755;
/** Whoever the sandbox's user is may read what is carried in; on this host it is closed to other users. */
const FILE_MODE = 0o644;
/** Of scripts, whatever the folder says: data sets come out of archives that lost it. */
const PROGRAM_MODE = 0o755;
const OPEN_MODE = 0o777;

/**
 * A tar of a folder's content, or of a file alone, to be unpacked at the root. Links are followed: they were checked to
 * stay inside. Folders above are not named: one that is there keeps its mode.
 */
export function packFolder(from: string, to: string): Readable {
  const archive = pack();
  const inside = to.replace(/^\/+/, "");
  const add = async () => {
    if ((await stat(from)).isDirectory()) {
      if (inside !== "") folderEntry(archive, inside, FOLDER_MODE);
      await addContent(archive, from, inside);
    } else await addFile(archive, from, inside);
    archive.finalize();
  };
  add().catch((error) => archive.destroy(error));
  return archive;
}

/** A tar of empty folders that everyone may write to. */
export function packFolders(paths: readonly string[]): Readable {
  const archive = pack();
  const open = new Set(paths.map((path) => path.replace(/^\/+/, "")));
  const all = new Set(paths.flatMap(foldersOf));
  for (const folder of all)
    folderEntry(archive, folder, open.has(folder) ? OPEN_MODE : FOLDER_MODE);
  archive.finalize();
  return archive;
}

/** A tar of one file of nothing, or of so many zeros. */
export function packMark(path: string, sizeBytes = 0): Readable {
  const archive = pack();
  const name = path.replace(/^\/+/, "");
  archive.entry({ name, mode: 0o444, uid: 0, gid: 0 }, Buffer.alloc(sizeBytes));
  archive.finalize();
  return archive;
}

/** `/a/b` as `a`, `a/b`. */
function foldersOf(path: string): string[] {
  const parts = path.split("/").filter(Boolean);
  return parts.map((_, i) => parts.slice(0, i + 1).join("/"));
}

function folderEntry(archive: Pack, name: string, mode: number): void {
  archive.entry({ name: `${name}/`, type: "directory", mode, uid: 0, gid: 0 });
}

async function addContent(archive: Pack, folder: string, to: string): Promise<void> {
  for (const name of (await readdir(folder)).sort()) {
    const path = join(folder, name);
    const inside = posix.join(to, name);
    if ((await stat(path)).isDirectory()) {
      folderEntry(archive, inside, FOLDER_MODE);
      await addContent(archive, path, inside);
    } else await addFile(archive, path, inside);
  }
}

async function addFile(archive: Pack, path: string, inside: string): Promise<void> {
  const found = await stat(path);
  const isProgram = path.endsWith(".sh") || (found.mode & 0o100) !== 0;
  const entry = archive.entry({
    name: inside,
    size: found.size,
    mode: isProgram ? PROGRAM_MODE : FILE_MODE,
    uid: 0,
    gid: 0,
  });
  await pipeline(createReadStream(path), entry);
}
