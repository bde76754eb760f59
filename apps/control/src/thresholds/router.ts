import { ResetThreshold, SetThreshold } from "@liverl/contract/threshold";
import { z } from "zod";
import { listThresholds } from "#thresholds/list-thresholds.ts";
import { resetThreshold, setThreshold } from "#thresholds/set-threshold.ts";
import { procedure, router } from "#trpc.ts";

export const thresholdRouter = router({
  list: procedure
    .input(z.object({ project: z.string() }))
    .query(({ ctx, input }) => listThresholds(ctx, input)),
  set: procedure.input(SetThreshold).mutation(({ ctx, input }) => setThreshold(ctx, input)),
  reset: procedure.input(ResetThreshold).mutation(({ ctx, input }) => resetThreshold(ctx, input)),
});
