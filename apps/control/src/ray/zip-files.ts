import { zipSync } from "fflate";

/** The earliest that a zip can say: equal files make equal bytes, and so one package on the cluster. */
const MTIME = new Date("1980-01-01T00:00:00");

/** A zip of text files by their paths, in the order of the map. */
export function zipFiles(files: ReadonlyMap<string, string>): Uint8Array {
  const entries = [...files].map(([path, text]) => [path, Buffer.from(text)] as const);
  return zipSync(Object.fromEntries(entries), { mtime: MTIME, level: 6 });
}
