import { z } from "zod";

/** `weights/current.json`: the newest version; `path` is absolute, or relative to its folder. */
export const CurrentWeights = z.object({
  version: z.number().int().nonnegative(),
  path: z.string(),
});
export type CurrentWeights = z.infer<typeof CurrentWeights>;

export function weightsFileName(version: number): string {
  return `v${version}.safetensors`;
}
