import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Writes a download to a file and resolves with its bytes. One that breaks off leaves no file of that name. */
export async function saveBody({ body }: Response, output: string): Promise<number> {
  const part = `${output}.part`;
  let sizeBytes = 0;
  try {
    await pipeline(
      Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]),
      async function* counted(chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          sizeBytes += chunk.length;
          yield chunk;
        }
      },
      createWriteStream(part),
    );
    await rename(part, output);
    return sizeBytes;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
