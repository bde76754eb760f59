import { MAX_FILTER_LENGTH } from "@liverl/contract/filter/filter-tree";
import type { RolloutRow } from "@liverl/contract/views";
import { z } from "zod";
import { RolloutSort } from "#rollouts/rollout-order.ts";

export const FilterText = z.string().max(MAX_FILTER_LENGTH);

export const ListRollouts = z.object({
  runId: z.string(),
  /** In the filter language; empty or left out, all match. */
  f: FilterText.optional(),
  sort: RolloutSort.optional(),
  limit: z.number().int().min(1).max(1000).default(200),
  cursor: z.string().max(2_000).optional(),
});
export type ListRollouts = z.infer<typeof ListRollouts>;

export interface RolloutPage {
  rollouts: RolloutRow[];
  nextCursor: string | null;
  /** Of all pages, counted up to 10,000; told with the first page alone. */
  total: number | null;
  /** There are more than were counted. */
  hasMoreThanTotal: boolean;
}
