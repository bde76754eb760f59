import { nameOfKey } from "#tasks/name-of-key.ts";

const DEPRECATED: Readonly<Record<string, string>> = {
  allow_internet: "network_mode",
  memory: "memory_mb",
  storage: "storage_mb",
};

/** Keys of the file that are old, and those that neither Harbor nor LiveRL knows: a typing error is not to stay unseen. */
export function findTaskWarnings(written: object, read: object): string[] {
  return walk(written, read, []);
}

function walk(written: unknown, read: unknown, path: (string | number)[]): string[] {
  if (Array.isArray(written) && Array.isArray(read))
    return written.flatMap((entry, i) => walk(entry, read[i], [...path, i]));
  if (!isTable(written) || !isTable(read)) return [];
  return Object.entries(written).flatMap(([key, value]) => {
    const here = [...path, key];
    if (Object.hasOwn(read, key)) return walk(value, read[key], here);
    if (path.length === 0 && key === "version") return [];
    const now = DEPRECATED[key];
    if (!now || path.at(-1) !== "environment")
      return [`${nameOfKey(here)} is not a key of Harbor's tasks: it does nothing.`];
    if (now in DEPRECATED_SIZES && typeof value !== "string")
      return [`${nameOfKey(here)} is not a text like "2G", so it does nothing: write ${now}.`];
    return [`${nameOfKey(here)} is deprecated: write ${now}.`];
  });
}

const DEPRECATED_SIZES = { memory_mb: true, storage_mb: true };

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
