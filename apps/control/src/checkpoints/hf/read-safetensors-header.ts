import { type FileHandle, open } from "node:fs/promises";
import { z } from "zod";

/** The format's own limit on a header, https://github.com/huggingface/safetensors. */
const MOST_HEADER_BYTES = 100_000_000;
const LENGTH_BYTES = 8;
const Tensor = z.looseObject({
  dtype: z.string(),
  shape: z.array(z.number().int().nonnegative()),
  data_offsets: z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]),
});

/** Names of a safetensors file's tensors. Throws where the header does not parse or the file is not as long as it says. */
export async function readSafetensorsHeader(path: string): Promise<string[]> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const length = Number((await readExactly(file, LENGTH_BYTES, 0)).readBigUInt64LE(0));
    if (length > Math.min(MOST_HEADER_BYTES, size - LENGTH_BYTES))
      throw new Error("its header is cut off");
    const text = (await readExactly(file, length, LENGTH_BYTES)).toString("utf8");
    const { __metadata__: _, ...entries } = z
      .record(z.string(), z.unknown())
      .parse(JSON.parse(text));
    const ends = Object.values(entries).map((entry) => Tensor.parse(entry).data_offsets[1]);
    const end = LENGTH_BYTES + length + ends.reduce((a, b) => Math.max(a, b), 0);
    if (size !== end) throw new Error(`it has ${size} bytes, and its header says ${end}`);
    return Object.keys(entries);
  } finally {
    await file.close();
  }
}

/** What {@link readSafetensorsHeader} threw, in words that follow the file's name. */
export function safetensorsFault(error: unknown): string {
  if (error instanceof z.ZodError || error instanceof SyntaxError)
    return "its header does not parse";
  return error instanceof Error ? error.message : String(error);
}

async function readExactly(file: FileHandle, length: number, position: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new Error("it is shorter than its header");
  return buffer;
}
