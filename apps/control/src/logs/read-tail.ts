import { open } from "node:fs/promises";
import { isMissing } from "@liverl/durable/atomic-file";

/** The last `most` bytes of a log as text; empty where there is none. */
export async function readTail(path: string, most: number): Promise<string> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const length = Math.min(size, most);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}
