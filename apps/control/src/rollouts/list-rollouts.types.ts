import { RolloutMode, RolloutStatus } from "@liverl/contract/rollout";
import type { RolloutRow } from "@liverl/contract/views";
import { z } from "zod";

export const ListRollouts = z.object({
  runId: z.string(),
  mode: RolloutMode.optional(),
  step: z.number().int().optional(),
  status: RolloutStatus.optional(),
  minReward: z.number().optional(),
  maxReward: z.number().optional(),
  limit: z.number().int().min(1).max(1000).default(200),
  cursor: z.string().optional(),
});
export type ListRollouts = z.infer<typeof ListRollouts>;

export interface RolloutPage {
  rollouts: RolloutRow[];
  nextCursor: string | null;
  /** Of all pages. */
  total: number;
}
