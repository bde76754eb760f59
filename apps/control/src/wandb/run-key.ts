import { isStorable, notStorable } from "@liverl/contract/storable";
import { z } from "zod";

/** The one account that clients are told of where they name none. */
export const ENTITY = "liverl";

const Part = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => !text.includes("/"), "a slash in a name")
  .refine(isStorable, notStorable);

/** How W&B names a run: `entity/project/run`. */
export const RunPath = z.object({
  entity: Part.nullish(),
  project: Part.nullish(),
  run: Part,
});
export type RunPath = z.infer<typeof RunPath>;

/** W&B's own name for runs that no project was given for. */
const NO_PROJECT = "uncategorized";

export function fullPath({ entity, project, run }: RunPath) {
  return { entity: entity ?? ENTITY, project: project ?? NO_PROJECT, run };
}

export function runKeyOf(path: RunPath): string {
  const { entity, project, run } = fullPath(path);
  return `${entity}/${project}/${run}`;
}
