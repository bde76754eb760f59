import { z } from "zod";
import type { Parameters } from "#model/parameters.ts";

const Entry = z.object({
  dtype: z.literal("F32"),
  shape: z.array(z.number().int().nonnegative()),
  data_offsets: z.tuple([z.number().int(), z.number().int()]),
});

/** Tensors of a safetensors file of float32 values. Throws on any other type, and on offsets outside the file. */
export function decodeSafetensors(bytes: Uint8Array): Parameters {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length < 8) throw new Error("not a safetensors file: it is shorter than its header");
  const headerLength = Number(view.readBigUInt64LE(0));
  const start = 8 + headerLength;
  if (start > view.length) throw new Error("not a safetensors file: its header is cut off");
  const { __metadata__: _, ...entries } = z
    .record(z.string(), z.unknown())
    .parse(JSON.parse(view.toString("utf8", 8, start)));
  return new Map(
    Object.entries(entries).map(([name, entry]) => {
      const { shape, data_offsets } = Entry.parse(entry);
      const [from, to] = data_offsets;
      if (from < 0 || to < from || start + to > view.length)
        throw new Error(`tensor ${name} lies outside the file`);
      // A copy: the file's bytes need not be aligned for float32.
      const values = new Float32Array(
        new Uint8Array(view.subarray(start + from, start + to)).buffer,
      );
      return [name, { values, shape }];
    }),
  );
}
