import { CleanRun } from "@liverl/contract/clean-run";
import { DeleteRun } from "@liverl/contract/delete-run";
import { LaunchRun } from "@liverl/contract/launch";
import { ListRuns } from "@liverl/contract/list-runs";
import {
  AnnotateRun,
  AttachRun,
  DeleteAnnotation,
  FindTracked,
  ResumeRun,
  StopRun,
} from "@liverl/contract/run";
import { GetRunConfig } from "@liverl/contract/run-config";
import { z } from "zod";
import { launchJudged } from "#launch/launch-judged.ts";
import { annotateRun } from "#runs/annotate-run.ts";
import { attachRun } from "#runs/attach-run.ts";
import { checkpointRun } from "#runs/checkpoint-run.ts";
import { cleanRun } from "#runs/clean-run.ts";
import { deleteAnnotation } from "#runs/delete-annotation.ts";
import { deleteRun } from "#runs/delete-run.ts";
import { findTracked } from "#runs/find-tracked.ts";
import { getRun } from "#runs/get-run.ts";
import { getRunConfig } from "#runs/get-run-config.ts";
import { getVerdict } from "#runs/get-verdict.ts";
import { listRunEvents } from "#runs/list-run-events.ts";
import { ListRunValues, listRunValues } from "#runs/list-run-values.ts";
import { listRuns } from "#runs/list-runs.ts";
import { planClean } from "#runs/plan-clean.ts";
import { resumeRun } from "#runs/resume-run.ts";
import { stopRun } from "#runs/stop-run.ts";
import { TagRuns, tagRuns } from "#runs/tag-runs.ts";
import { watchRuns } from "#runs/watch-runs.ts";
import { procedure, router } from "#trpc.ts";

const RunId = z.object({ id: z.string() });

export const runRouter = router({
  list: procedure.input(ListRuns).query(({ ctx, input }) => listRuns(ctx, input)),
  get: procedure.input(RunId).query(({ ctx, input }) => getRun(ctx, input)),
  verdict: procedure.input(RunId).query(({ ctx, input }) => getVerdict(ctx, input)),
  config: procedure.input(GetRunConfig).query(({ ctx, input }) => getRunConfig(ctx, input)),
  values: procedure.input(ListRunValues).query(({ ctx, input }) => listRunValues(ctx, input)),
  findTracked: procedure.input(FindTracked).query(({ ctx, input }) => findTracked(ctx, input)),
  launch: procedure.input(LaunchRun).mutation(({ ctx, input }) => launchJudged(ctx, input)),
  stop: procedure.input(StopRun).mutation(({ ctx, input }) => stopRun(ctx, input)),
  checkpoint: procedure.input(RunId).mutation(({ ctx, input }) => checkpointRun(ctx, input)),
  clean: procedure.input(CleanRun).mutation(({ ctx, input }) => cleanRun(ctx, input)),
  planClean: procedure.input(RunId).query(({ ctx, input }) => planClean(ctx, input)),
  delete: procedure.input(DeleteRun).mutation(({ ctx, input }) => deleteRun(ctx, input)),
  resume: procedure.input(ResumeRun).mutation(({ ctx, input }) => resumeRun(ctx, input)),
  attach: procedure.input(AttachRun).mutation(({ ctx, input }) => attachRun(ctx, input)),
  annotate: procedure.input(AnnotateRun).mutation(({ ctx, input }) => annotateRun(ctx, input)),
  deleteAnnotation: procedure
    .input(DeleteAnnotation)
    .mutation(({ ctx, input }) => deleteAnnotation(ctx, input)),
  tag: procedure.input(TagRuns).mutation(({ ctx, input }) => tagRuns(ctx, input)),
  events: procedure
    .input(RunId.extend({ limit: z.number().int().min(1).max(5000).optional() }))
    .query(({ ctx, input }) => listRunEvents(ctx, input)),
  live: procedure
    .input(z.object({ id: z.string().optional(), lastEventId: z.string().nullish() }))
    .subscription(({ ctx, input, signal }) => watchRuns(ctx, input, signal)),
});
