import { z } from "zod";
import { getGroup } from "#groups/get-group.ts";
import { procedure, router } from "#trpc.ts";

export const groupRouter = router({
  get: procedure
    .input(z.object({ runId: z.string(), groupId: z.string() }))
    .query(({ ctx, input }) => getGroup(ctx, input)),
});
