import { z } from "zod";
import { ProjectName } from "#run.ts";

const hour = z
  .number({ error: "give a number" })
  .positive("more than 0, or none")
  .max(1_000_000, "a million at most")
  .nullable();

/** What an hour of a device costs in a project; null: nobody has said. */
const Prices = z.object({
  gpuHour: hour,
  cpuHour: hour,
  currency: z.string().regex(/^[A-Z]{3}$/, "three letters: EUR, USD"),
});
export const SetPrice = Prices.extend({ project: ProjectName });
export type SetPrice = z.infer<typeof SetPrice>;

export const PriceView = Prices.extend({
  /** Who set it and when; null while nobody has. */
  actor: z.string().nullable(),
  changedAt: z.string().nullable(),
});
export type PriceView = z.infer<typeof PriceView>;
