import { isStorable, notStorable } from "@liverl/contract/storable";
import { z } from "zod";
import { MOST_NOTE, MOST_TAGS, Tag } from "#rollouts/tag.ts";

/** What people said of a rollout in another LiveRL, by the rules for what they say here. */
export const ImportedRollout = z.looseObject({
  tags: z.array(Tag).max(MOST_TAGS).optional(),
  note: z.string().max(MOST_NOTE).refine(isStorable, notStorable).nullish(),
});
