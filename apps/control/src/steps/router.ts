import { RolloutMode } from "@liverl/contract/rollout";
import { GetStep } from "@liverl/contract/views";
import { z } from "zod";
import { getStep } from "#steps/get-step.ts";
import { listSteps } from "#steps/list-steps.ts";
import { procedure, router } from "#trpc.ts";

export const stepRouter = router({
  get: procedure.input(GetStep).query(({ ctx, input }) => getStep(ctx, input)),
  list: procedure
    .input(z.object({ runId: z.string(), mode: RolloutMode.default("train") }))
    .query(({ ctx, input }) => listSteps(ctx, input)),
});
