import { Count32 } from "@liverl/contract/int32";
import { z } from "zod";
import { listCheckpoints } from "#checkpoints/list-checkpoints.ts";
import { cancelMerge } from "#checkpoints/merge/cancel-merge.ts";
import { startMerge } from "#checkpoints/merge/start-merge.ts";
import { procedure, router } from "#trpc.ts";

const OfCheckpoint = z.object({ runId: z.string(), step: Count32 });

export const checkpointRouter = router({
  list: procedure
    .input(z.object({ runId: z.string() }))
    .query(({ ctx, input }) => listCheckpoints(ctx, input)),
  merge: procedure.input(OfCheckpoint).mutation(({ ctx, input }) => startMerge(ctx, input)),
  cancelMerge: procedure.input(OfCheckpoint).mutation(({ ctx, input }) => cancelMerge(ctx, input)),
});
