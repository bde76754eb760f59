import { FREE } from "#spec/split-path.ts";

/** Leaves of a spec as dotted path → value, in document order. Lists are leaves, and so is each override. */
export function flattenSpec(spec: unknown, prefix = ""): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) return leaves;
  for (const [key, value] of Object.entries(spec)) {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isMap && !FREE.has(prefix)) {
      for (const [inner, leaf] of flattenSpec(value, path)) leaves.set(inner, leaf);
    } else leaves.set(path, value);
  }
  return leaves;
}
