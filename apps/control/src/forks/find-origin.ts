import { join, relative, resolve } from "node:path";
import type { LaunchSpec } from "@liverl/contract/launch";
import type { ForkWay } from "@liverl/contract/run";
import { effectiveSpec } from "#launch/effective-spec.ts";
import { expandHome } from "#launch/verl-evidence/expand-home.ts";

/** What a spec begins from, as verl and the embedded trainer will read it. */
export interface Beginning {
  how: ForkWay;
  path: string;
}

/** The checkpoint or model that a spec names; null where it starts by itself. Pure. */
export function beginningOf(spec: LaunchSpec): Beginning | null {
  if (spec.driver === "embedded") {
    const path = spec.trainer.resume_from_path;
    return path === null ? null : { how: "resume", path: expandHome(path) };
  }
  const { trainer, model } = effectiveSpec(spec).spec;
  return trainer.resume_mode === "resume_path" && trainer.resume_from_path !== null
    ? { how: "resume", path: expandHome(trainer.resume_from_path) }
    : { how: "weights", path: expandHome(model.path) };
}

/** The step that a spec's training goes on from: 0, unless it takes a checkpoint up whole. Pure. */
export function firstStepOf(spec: LaunchSpec): number {
  const beginning = beginningOf(spec);
  return beginning?.how === "resume" ? (stepOfFolder(beginning.path) ?? 0) : 0;
}

/** Of a folder `global_step_N`; null of any other. Pure. */
export function stepOfFolder(path: string): number | null {
  const [, step] = /global_step_(\d+)$/.exec(resolve(path)) ?? [];
  return step === undefined ? null : Number(step);
}

/** The run and step of this LiveRL whose checkpoint a path lies in; null for any other path. Pure. */
export function findOrigin(
  dataDir: string,
  { path }: Pick<Beginning, "path">,
): { runId: string; step: number } | null {
  const inside = relative(join(dataDir, "runs"), resolve(path));
  const [, runId, step] = /^([^/]+)\/checkpoints\/global_step_(\d+)(?:\/|$)/.exec(inside) ?? [];
  return runId === undefined || runId === ".." ? null : { runId, step: Number(step) };
}
