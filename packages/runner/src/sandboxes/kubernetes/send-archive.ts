import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { PodProcess } from "#sandboxes/kubernetes/pod-process.ts";

/** How much a command has to ask for: what ends its stdin may overtake the last bytes. */
export async function sizeOf(archive: Readable): Promise<number> {
  let bytes = 0;
  for await (const chunk of archive) bytes += (chunk as Buffer).length;
  return bytes;
}

/** The exit code of a command that reads an archive from its stdin, or that does not need it after all. */
export async function sendArchive(archive: Readable, running: PodProcess): Promise<number> {
  const sending = pipeline(archive, running.stdin, { end: false });
  sending.catch(() => undefined);
  try {
    return await Promise.race([running.ended, sending.then(() => running.ended)]);
  } finally {
    archive.destroy();
  }
}
