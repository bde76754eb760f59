/** Leaves of a spec as dotted path → value, in document order. Lists are leaves. */
export function flattenSpec(spec: unknown, prefix = ""): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) return leaves;
  for (const [key, value] of Object.entries(spec)) {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      for (const [inner, leaf] of flattenSpec(value, path)) leaves.set(inner, leaf);
    } else leaves.set(path, value);
  }
  return leaves;
}
