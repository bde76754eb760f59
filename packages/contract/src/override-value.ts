import { z } from "zod";

export const NO_NUL = /^[^\0]*$/;
export const noNul = "a zero byte can stand in no argument, variable or path";

/** A value of a Hydra override. */
export type OverrideValue =
  | string
  | number
  | boolean
  | null
  | OverrideValue[]
  | { [key: string]: OverrideValue };
const DEEPEST = 8;
/** What Hydra's grammar takes for the key of a map. */
const MapKey = z
  .string()
  .regex(/^[A-Za-z0-9_./+$%*@?|-]{1,200}$/, "a key of a map, as Hydra has it");
const ofDepth = (depth: number): z.ZodType<OverrideValue> => {
  const plain = z.union([
    z.string().max(10_000).regex(NO_NUL, noNul),
    z.number(),
    z.boolean(),
    z.null(),
  ]);
  if (depth === 0) return plain;
  const inner = ofDepth(depth - 1);
  return z.union([plain, z.array(inner).max(1000), z.record(MapKey, inner)]);
};
export const OverrideValue = ofDepth(DEEPEST);
