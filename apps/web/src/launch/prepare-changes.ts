import { flattenSpec } from "@liverl/contract/spec/flatten-spec";

export interface Change {
  path: string;
  /** Undefined when the path is new. */
  before: string | undefined;
  /** Undefined when the path is gone. */
  after: string | undefined;
}

/** Values that differ from the base, in document order. The name always differs and is left out. */
export function prepareChanges(
  spec: unknown,
  base: unknown,
): { changes: Change[]; values: number } {
  const now = flattenSpec(spec);
  const then = flattenSpec(base);
  const changes: Change[] = [];
  for (const path of new Set([...then.keys(), ...now.keys()])) {
    if (path === "name") continue;
    const before = show(then, path);
    const after = show(now, path);
    if (before !== after) changes.push({ path, before, after });
  }
  return { changes, values: new Set([...then.keys(), ...now.keys()]).size };
}

function show(leaves: ReadonlyMap<string, unknown>, path: string): string | undefined {
  return leaves.has(path) ? JSON.stringify(leaves.get(path)) : undefined;
}
