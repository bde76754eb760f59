import { z } from "zod";
import { listCheckpoints } from "#checkpoints/list-checkpoints.ts";
import { procedure, router } from "#trpc.ts";

export const checkpointRouter = router({
  list: procedure
    .input(z.object({ runId: z.string() }))
    .query(({ ctx, input }) => listCheckpoints(ctx, input)),
});
