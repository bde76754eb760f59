import { splitPath } from "#spec/split-path.ts";

/** The value at a dotted path, `optim.lr`; undefined where the path leads nowhere. */
export function readPath(spec: unknown, path: string): unknown {
  let here: unknown = spec;
  for (const key of splitPath(path)) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string, unknown>)[key];
  }
  return here;
}
