import { z } from "zod";

/** `cpu`: the run computes on this machine, in processes of its own. */
export const CostDevice = z.enum(["gpu", "cpu"]);
export type CostDevice = z.infer<typeof CostDevice>;

export const Money = z.object({
  amount: z.number(),
  /** ISO 4217: EUR. */
  currency: z.string(),
});
export type Money = z.infer<typeof Money>;

/** The devices that a run holds, and for how long it has held them up to now. */
export const RunSpent = z.object({
  device: CostDevice,
  /** GPUs of all its pools; on the embedded policy its engines and its trainer. */
  devices: z.number().int(),
  /** Hours at work times devices, whether they were busy or not. */
  deviceHours: z.number(),
  /** By the project's price of a device hour; null where it has set none. */
  money: Money.nullable(),
});
export type RunSpent = z.infer<typeof RunSpent>;

/** What a run has used up to now, and what that gained. */
export const RunCost = RunSpent.extend({
  /** Of training and evaluation, as the engines sampled them. */
  tokensSampled: z.number().int(),
  /** Given to the policy in prompts, each counted once a rollout. */
  tokensPrompt: z.number().int(),
  /** That updates were made with, prompts included, as the trainer logged them; null where it logs none. */
  tokensTrained: z.number().int().nullable(),
  /** The newest held-out reward less the first one; null before there are two. */
  heldOutGain: z.number().nullable(),
  /** Device hours for each reward point gained; null where none was gained, or nothing was measured. */
  hoursPerPoint: z.number().nullable(),
  moneyPerPoint: Money.nullable(),
});
export type RunCost = z.infer<typeof RunCost>;
