import type { LaunchField } from "#launch/fields/launch-field.ts";
import { flattenSpec } from "#launch/flatten-spec.ts";
import { readPath } from "#launch/read-path.ts";

export type Source = "preset" | "parent" | "default" | "override" | "locked" | "missing";
export interface Provenance {
  source: Source;
  /** The base's value, when this one overrides it. */
  was: unknown;
}

/**
 * Where each value of a spec comes from, by dotted path. `base` is the preset or the run that the spec began as;
 * `defaults` what the driver takes when nobody says otherwise, where it has such values.
 */
export function prepareProvenance({
  spec,
  base,
  kind,
  defaults,
  fields,
}: {
  spec: unknown;
  base: unknown;
  kind: "preset" | "parent";
  defaults: unknown;
  fields: readonly LaunchField[];
}): Map<string, Provenance> {
  const sources = new Map<string, Provenance>();
  const paths = new Set([...fields.map((field) => field.path), ...flattenSpec(spec).keys()]);
  const locked = new Set(fields.filter(({ kind }) => kind === "locked").map(({ path }) => path));
  for (const path of paths) {
    const value = readPath(spec, path);
    const before = readPath(base, path);
    const isDefault = JSON.stringify(value) === JSON.stringify(readPath(defaults, path));
    // What the base has no place for, another driver's target, is nobody's override while it stands at its default.
    const isSame =
      JSON.stringify(value) === JSON.stringify(before) || (before === undefined && isDefault);
    const source = locked.has(path) ? "locked" : isDefault ? "default" : kind;
    if (value === undefined) sources.set(path, { source: "missing", was: before });
    else sources.set(path, { source: isSame ? source : "override", was: before });
  }
  return sources;
}
