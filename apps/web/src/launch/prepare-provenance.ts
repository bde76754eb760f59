import { flattenSpec } from "@liverl/contract/spec/flatten-spec";
import { readPath } from "@liverl/contract/spec/read-path";
import { sourceOfValue, type ValueSource } from "@liverl/contract/spec/value-source";
import type { LaunchField } from "#launch/fields/launch-field.ts";

export type Source = ValueSource | "locked" | "missing";
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
    if (value === undefined) {
      sources.set(path, { source: "missing", was: before });
      continue;
    }
    const source = sourceOfValue(value, { before, usual: readPath(defaults, path), kind });
    const isLocked = locked.has(path) && source !== "override";
    sources.set(path, { source: isLocked ? "locked" : source, was: before });
  }
  return sources;
}
