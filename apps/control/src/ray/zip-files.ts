import { type ZipOptions, zipSync } from "fflate";

/** The earliest that a zip can say: equal files make equal bytes, and so one package on the cluster. */
const MTIME = new Date("1980-01-01T00:00:00");

/** A zip of files by their paths, in the order of the map. Binaries are packed lightly: they are large and yield little. */
export function zipFiles(files: ReadonlyMap<string, string | Uint8Array>): Uint8Array {
  const entries = [...files].map(([path, content]) => {
    const isText = typeof content === "string";
    const bytes = isText ? Buffer.from(content) : content;
    const packed: [Uint8Array, ZipOptions] = [bytes, { level: isText ? 6 : 1 }];
    return [path, packed] as const;
  });
  return zipSync(Object.fromEntries(entries), { mtime: MTIME });
}
