import { createHash } from "node:crypto";
import { once } from "node:events";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { Readable, type Writable } from "node:stream";
import { type Pack, pack } from "tar-stream";
import type { ExportFile } from "#checkpoints/export/list-export.ts";

/** The manifest's name; it comes last, because it is known only when all is read. `sha256sum -c` reads it. */
export const MANIFEST = "SHA256SUMS";
const BLOCK = 512;
const CHUNK_BYTES = 256 * 1024;
const DIGEST_CHARS = 64;
/** Longest name of a plain ustar header; a longer one takes blocks of its own. */
const MOST_NAME_BYTES = 100;

/** Bytes of the archive; null where a long name makes it unknown. Pure. */
export function tarLength(prefix: string, files: readonly ExportFile[]): number | null {
  const names = [...files.map(({ name }) => name), MANIFEST];
  if (names.some((name) => Buffer.byteLength(`${prefix}/${name}`) > MOST_NAME_BYTES)) return null;
  const manifest = files.reduce((sum, { name }) => sum + lineBytes(name), 0);
  const entries = [...files.map(({ sizeBytes }) => sizeBytes), manifest];
  const blocks = entries.reduce((sum, bytes) => sum + 1 + Math.ceil(bytes / BLOCK), 0);
  // Two empty blocks end an archive.
  return (blocks + 2) * BLOCK;
}

const lineBytes = (name: string) => DIGEST_CHARS + 2 + Buffer.byteLength(name) + 1;

/**
 * The files as a tar below `prefix/`, read as fast as they are taken and no faster. A file that changes meanwhile breaks
 * the archive off.
 */
export function packTar(prefix: string, files: readonly ExportFile[], at: Date): Readable {
  const archive = pack();
  void fill(archive, prefix, files, at).catch((error: unknown) =>
    archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return Readable.from(archive, { objectMode: false });
}

async function fill(archive: Pack, prefix: string, files: readonly ExportFile[], mtime: Date) {
  const digests: string[] = [];
  for (const file of files) {
    const header = { name: `${prefix}/${file.name}`, size: file.sizeBytes, mode: 0o644, mtime };
    digests.push(`${await addFile(archive.entry(header), file)}  ${file.name}\n`);
  }
  archive.entry({ name: `${prefix}/${MANIFEST}`, mode: 0o644, mtime }, digests.join(""));
  archive.finalize();
}

/** Resolves with the sha256 of what went into the archive. */
export async function addFile(
  entry: Writable,
  { name, path, sizeBytes }: ExportFile,
): Promise<string> {
  const digest = createHash("sha256");
  // Whoever downloads has gone: nothing drains any more.
  const gone = new AbortController();
  entry.once("close", () => gone.abort());
  // The archive tells it.
  entry.once("error", () => gone.abort());
  // Listed as a file a moment ago; what has become a link since is not followed.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  let bytes = 0;
  try {
    const end = Math.max(0, sizeBytes - 1);
    const content =
      sizeBytes === 0 ? [] : file.createReadStream({ end, highWaterMark: CHUNK_BYTES });
    for await (const chunk of content) {
      digest.update(chunk);
      bytes += chunk.length;
      if (!entry.write(chunk)) await once(entry, "drain", { signal: gone.signal });
    }
  } finally {
    await file.close();
  }
  if (bytes !== sizeBytes) throw new Error(`${name} changed while it was read`);
  entry.end();
  return digest.digest("hex");
}
