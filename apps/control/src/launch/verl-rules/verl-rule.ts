import type { PreflightItem } from "@liverl/contract/launch";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import type { ModelShape, VerlEvidence } from "#launch/verl-evidence/verl-evidence.ts";

export type Finding = Omit<PreflightItem, "id">;

export interface VerlRule {
  id: string;
  /** Judges the spec as verl will see it (overrides in their fields); null where the rule does not apply. */
  judge: (spec: VerlSpec, evidence: VerlEvidence) => Finding | null;
}

type Fix = NonNullable<PreflightItem["fix"]>;
interface Place {
  field?: string | null;
  fix?: Fix | null;
}

const finding =
  (status: Finding["status"]) =>
  (title: string, why: string, { field = null, fix = null }: Place = {}): Finding => ({
    status,
    title,
    why,
    field: field ?? fix?.path ?? null,
    fix,
  });

export const pass = finding("pass");
export const warn = finding("warn");
export const fail = finding("fail");

/** A button that sets one value. */
export function set(
  path: string,
  value: NonNullable<Fix["value"]> | null,
  label = `Set to ${String(value)}`,
): Fix {
  return { label, path, value };
}

/** A button that takes a value out, so that what stood behind it counts again. */
export function takeOut(path: string, also?: Fix["also"], label = "Take it out"): Fix {
  return { label, path, ...(also && { also }) };
}

export function shapeOf({ model }: VerlEvidence): ModelShape | null {
  return model.state === "found" ? model.shape : null;
}

/** GPUs that train. */
export function trainerWorld({ layout }: VerlSpec): number {
  return layout.nnodes * layout.n_gpus_per_node;
}

/** GPUs that one copy of the model takes in training; the world over this is the data-parallel size. */
export function modelParallel({ engine }: VerlSpec): number {
  return engine.name === "megatron"
    ? engine.tensor_parallel * engine.pipeline_parallel * engine.context_parallel
    : engine.sp_size;
}

/** The largest divisor of `n` that is at most `most`. */
export function largestDivisor(n: number, most: number): number {
  for (let divisor = Math.min(n, most); divisor > 1; divisor -= 1)
    if (n % divisor === 0) return divisor;
  return 1;
}
