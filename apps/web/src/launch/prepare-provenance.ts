import { flattenSpec } from "#launch/flatten-spec.ts";
import { LAUNCH_FIELDS } from "#launch/launch-fields.ts";
import { readPath } from "#launch/read-path.ts";

export type Source = "preset" | "parent" | "override" | "locked" | "missing";
export interface Provenance {
  source: Source;
  /** The base's value, when this one overrides it. */
  was: unknown;
}

/** Where each value of a spec comes from, by dotted path. `base` is the preset or the run that the spec began as. */
export function prepareProvenance(
  spec: unknown,
  base: unknown,
  baseKind: "preset" | "parent",
): Map<string, Provenance> {
  const sources = new Map<string, Provenance>();
  const paths = new Set([...LAUNCH_FIELDS.map((field) => field.path), ...flattenSpec(spec).keys()]);
  const locked = new Set(
    LAUNCH_FIELDS.filter((field) => field.kind === "locked").map((field) => field.path),
  );
  for (const path of paths) {
    const value = readPath(spec, path);
    const before = readPath(base, path);
    if (value === undefined) sources.set(path, { source: "missing", was: before });
    else if (JSON.stringify(value) !== JSON.stringify(before))
      sources.set(path, { source: "override", was: before });
    else sources.set(path, { source: locked.has(path) ? "locked" : baseKind, was: before });
  }
  return sources;
}
