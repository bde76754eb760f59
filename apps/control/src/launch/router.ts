import { Count32 } from "@liverl/contract/int32";
import { PlanLaunch, ReadEnvironment } from "@liverl/contract/launch";
import { ForkWay } from "@liverl/contract/run";
import { z } from "zod";
import { buildForkSpec } from "#forks/build-fork-spec.ts";
import { readLaunchScript } from "#launch/environment/read-launch-script.ts";
import { getSpecOfRun } from "#launch/get-spec-of-run.ts";
import { listPresets } from "#launch/list-presets.ts";
import { planLaunch } from "#launch/plan-launch.ts";
import { suggestName } from "#launch/suggest-name.ts";
import { procedure, procedureOfAnyText, router } from "#trpc.ts";

export const launchRouter = router({
  presets: procedure.query(({ ctx }) => listPresets(ctx)),
  // A mutation: it opens the files, asks the clusters and starts the interpreter that the spec names.
  plan: procedureOfAnyText
    .meta({ isLook: true })
    .input(PlanLaunch)
    .mutation(({ ctx, input }) => planLaunch(ctx, input)),
  suggestName: procedure
    .input(z.object({ project: z.string(), base: z.string() }))
    .query(({ ctx, input }) => suggestName(ctx, input)),
  // A mutation, though it changes nothing: what is pasted may hold secrets, and a query stands in the URL.
  readEnvironment: procedure
    .meta({ isLook: true })
    .input(ReadEnvironment)
    .mutation(({ input }) => readLaunchScript(input)),
  specOfFork: procedure
    .input(z.object({ runId: z.string(), step: Count32, how: ForkWay }))
    .query(({ ctx, input }) => buildForkSpec(ctx, input)),
  specOf: procedure
    .input(z.object({ runId: z.string() }))
    .query(({ ctx, input }) => getSpecOfRun(ctx, input)),
});
