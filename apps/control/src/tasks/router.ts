import { RolloutMode } from "@liverl/contract/rollout";
import { z } from "zod";
import { readProjectTasks } from "#tasks/read-project-tasks.ts";
import { readRunTasks, readTaskHistory } from "#tasks/read-tasks.ts";
import { procedure, router } from "#trpc.ts";

const mode = RolloutMode.default("train");

export const taskRouter = router({
  ofProject: procedure
    .input(z.object({ project: z.string(), mode }))
    .query(({ ctx, input }) => readProjectTasks(ctx, input)),
  ofRun: procedure
    .input(z.object({ runId: z.string(), mode }))
    .query(({ ctx, input }) => readRunTasks(ctx, input)),
  history: procedure
    .input(z.object({ project: z.string(), task: z.string().max(500), mode }))
    .query(({ ctx, input }) => readTaskHistory(ctx, input)),
});
