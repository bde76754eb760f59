import { ListViews, SaveView } from "@liverl/contract/metrics-view";
import { z } from "zod";
import { procedure, router } from "#trpc.ts";
import { deleteView } from "#views/delete-view.ts";
import { listViews } from "#views/list-views.ts";
import { saveView } from "#views/save-view.ts";

export const viewRouter = router({
  list: procedure.input(ListViews).query(({ ctx, input }) => listViews(ctx, input)),
  save: procedure.input(SaveView).mutation(({ ctx, input }) => saveView(ctx, input)),
  delete: procedure
    .input(z.object({ id: z.string().max(40) }))
    .mutation(({ ctx, input }) => deleteView(ctx, input)),
});
