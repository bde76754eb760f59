import { z } from "zod";

export const CleanRun = z.object({
  id: z.string(),
  /** What its processes printed. */
  logs: z.boolean().default(false),
  /** Folders of its trials: trajectories, tokens and files; rewards stay. */
  trials: z.boolean().default(false),
  /** Pods of its sandboxes that no attempt owns. */
  pods: z.boolean().default(false),
  /** Also pods of this run that another LiveRL made. */
  force: z.boolean().default(false),
});
export type CleanRun = z.infer<typeof CleanRun>;
export const CleanedRun = z.object({
  /** Processes that were left and are ended. */
  processes: z.number().int(),
  pods: z.number().int(),
  freedBytes: z.number(),
});
export type CleanedRun = z.infer<typeof CleanedRun>;

/** A pod of a run's sandbox that no attempt owns. */
export const LeftPod = z.object({
  name: z.string(),
  /** Made by this LiveRL, as its labels say. */
  isOurs: z.boolean(),
  phase: z.string().nullable(),
});
export type LeftPod = z.infer<typeof LeftPod>;

const Files = z.object({ files: z.number().int(), bytes: z.number() });
/** What a clean of a run would find; nothing is touched. */
export const CleanPlan = z.object({
  /** Names of processes that are still alive. They end with every clean. */
  processes: z.array(z.string()),
  /** What verl's Hydra left. It goes with every clean. */
  leftovers: Files,
  logs: Files,
  trials: Files,
  pods: z.array(LeftPod),
  /** Why pods can not be cleaned; null where they can. */
  podsFault: z.string().nullable(),
});
export type CleanPlan = z.infer<typeof CleanPlan>;
