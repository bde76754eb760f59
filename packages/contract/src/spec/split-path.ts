/** Sections whose keys are free, and may have dots of their own: `overrides.data.gen_batch_size`. */
export const FREE = new Set(["overrides", "env"]);

/** The keys that a dotted path goes through. */
export function splitPath(path: string): string[] {
  const [section = "", ...rest] = path.split(".");
  return FREE.has(section) && rest.length > 0 ? [section, rest.join(".")] : [section, ...rest];
}
