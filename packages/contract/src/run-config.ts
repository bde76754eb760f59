import { z } from "zod";
import { ValueSource } from "#spec/value-source.ts";

/** What a spec began as: a preset, or the spec of another run. */
export const LaunchBase = z.object({
  kind: z.enum(["preset", "run"]),
  id: z.string().min(1).max(200),
});
export type LaunchBase = z.infer<typeof LaunchBase>;

export const GetRunConfig = z.object({
  runId: z.string(),
  /** Another run; or `base`: the preset or the run that this one began as. */
  vs: z.string().min(1).max(200).optional(),
});
export type GetRunConfig = z.infer<typeof GetRunConfig>;

/** One value of a configuration. What is left out is not set. */
export const ConfigValue = z.object({
  /** Dotted: `optim.lr`. */
  path: z.string(),
  value: z.unknown().optional(),
  /** Null where it is not set, and for a run that LiveRL did not launch. */
  source: ValueSource.nullable(),
  /** What the base has there. */
  was: z.unknown().optional(),
  /** What the other one has there. */
  other: z.unknown().optional(),
  /** Whether it is not the same in the other one. */
  differs: z.boolean(),
});
export type ConfigValue = z.infer<typeof ConfigValue>;

export const RunConfig = z.object({
  /** In document order; what the other one alone has stands last. */
  values: z.array(ConfigValue),
  /** Null for a run whose launch did not say what it began as. */
  base: LaunchBase.extend({ label: z.string() }).nullable(),
  /** What it is set against; null where nothing was asked for. */
  vs: z.object({ label: z.string(), runId: z.string().nullable() }).nullable(),
});
export type RunConfig = z.infer<typeof RunConfig>;
