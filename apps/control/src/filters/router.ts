import { ROLLOUT_FIELDS, RUN_FIELDS } from "@liverl/contract/filter/filter-fields";
import { readFilter } from "#filters/read-filter.ts";
import {
  deleteFilter,
  listFilters,
  OfFilter,
  OfFilters,
  SaveFilter,
  saveFilter,
} from "#filters/saved-filters.ts";
import { procedure, router } from "#trpc.ts";

export const filterRouter = router({
  list: procedure.input(OfFilters).query(({ ctx, input }) => listFilters(ctx, input)),
  save: procedure.input(SaveFilter).mutation(({ ctx, input }) => {
    readFilter(input.filter, input.target === "runs" ? RUN_FIELDS : ROLLOUT_FIELDS);
    return saveFilter(ctx, input);
  }),
  delete: procedure.input(OfFilter).mutation(({ ctx, input }) => deleteFilter(ctx, input)),
});
