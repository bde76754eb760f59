"use client";
import type { EnvironmentReading, LaunchSpec } from "@liverl/contract/launch";
import { readPath } from "@liverl/contract/spec/read-path";
import { useState } from "react";
import { setInYaml, writeYaml } from "#launch/spec-yaml.ts";
import type { Draft } from "#launch/use-draft.ts";

/** What was taken over from a script, until it is put aside. */
export interface Pasted {
  taken: number;
  /** What was left, and why. */
  notes: EnvironmentReading["notes"];
  /** What stands for everything that the script did not say. */
  onto: string;
  /** The draft before. */
  before: string;
}

/** Values of verl's that keep what is about this run and its machines alone. */
function ofThisRun(defaults: LaunchSpec, draft: unknown): Record<string, unknown> {
  const own = ["project", "name", "seed", "target", "verl", "proxy"].flatMap((key) => {
    const value = readPath(draft, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return { ...defaults, ...Object.fromEntries(own) };
}

/** Takes what a script says over into the draft, and says what came of it. */
export function usePasted({
  base,
  draft,
  text,
  spec,
  defaults,
}: {
  base: { kind: "preset" | "parent"; label: string };
  draft: Draft;
  text: string;
  spec: unknown;
  defaults: LaunchSpec | null;
}) {
  const [last, setLast] = useState<Pasted | null>(null);
  const began = `${base.kind === "parent" ? "the values of" : "the preset"} ${base.label}`;
  return {
    last,
    began,
    takeOver: ({ values, notes }: EnvironmentReading, onto: "draft" | "defaults") => {
      const isFresh = onto === "defaults" && defaults !== null;
      const start = isFresh ? writeYaml(ofThisRun(defaults, spec)) : text;
      draft.setText(
        values.reduce((changed, { path, value }) => setInYaml(changed, path, value), start),
      );
      const changed = draft.savedAtMs === null ? "" : ", as changed before";
      const words = isFresh ? "verl's own defaults" : `${began}${changed}`;
      setLast({ taken: values.length, notes, onto: words, before: text });
    },
    undo: () => {
      if (last) draft.setText(last.before);
      setLast(null);
    },
    dismiss: () => setLast(null),
  };
}
