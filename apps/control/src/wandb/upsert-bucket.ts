import { z } from "zod";
import { asAppError } from "#errors.ts";
import { parseLoosely } from "#metrics/parse-loosely.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";
import { describeRun } from "#trackers/describe-run.ts";
import { jsonText, storableText } from "#trackers/json-text.ts";
import { openTrackedRun } from "#trackers/open-tracked-run.ts";
import type { TrackerContext } from "#trackers/writer.ts";
import { fullPath, RunPath, runKeyOf } from "#wandb/run-key.ts";
import { parseStepAxes } from "#wandb/step-axes.ts";
import { Stream } from "#wandb/stream.ts";

const Text = z.string().max(2000).nullish();
export const UpsertBucket = RunPath.omit({ run: true }).extend({
  /** The run's id, W&B's word for which is name. */
  name: RunPath.shape.run,
  displayName: Text,
  groupName: Text,
  jobType: Text,
  /** JSON in text, as `{key: {value}}`. */
  config: z.string().nullish(),
  summaryMetrics: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
});

/** Makes the run or brings what is known of it up to date: a client does so at its start and when its configuration changes. */
export async function upsertBucket(ctx: TrackerContext, input: z.infer<typeof UpsertBucket>) {
  const path = { entity: input.entity, project: input.project, run: input.name };
  const { entity, project, run } = fullPath(path);
  const { tracked, isNew } = await openTrackedRun(ctx, {
    ...{ source: "wandb", key: runKeyOf(path), project },
    name: input.displayName ?? run,
    startedMs: Date.now(),
  });
  await describe(ctx, tracked.runId, input);
  const axes = input.config ? parseStepAxes(parseLoosely(input.config)) : null;
  if (axes !== null)
    await ctx.pool.query("UPDATE tracked_run SET axes = $2::jsonb WHERE run_id = $1", [
      tracked.runId,
      jsonText(axes),
    ]);
  if (input.displayName || input.summaryMetrics)
    await ctx.pool.query(
      "UPDATE tracked_run SET name = COALESCE($2, name), summary = COALESCE($3::jsonb, summary) WHERE run_id = $1",
      [
        tracked.runId,
        input.displayName ? storableText(input.displayName) : null,
        input.summaryMetrics ? jsonText(parseLoosely(input.summaryMetrics)) : null,
      ],
    );
  return {
    upsertBucket: {
      bucket: {
        ...{ id: run, name: run, displayName: input.displayName ?? tracked.name },
        ...{ description: null, config: "{}", sweepName: null },
        project: { id: project, name: project, entity: { id: entity, name: entity } },
        historyLineCount: Stream.parse(tracked.stream).history?.count ?? 0,
      },
      inserted: isNew,
    },
  };
}

async function describe(
  ctx: TrackerContext,
  runId: string,
  { config, tags, groupName, jobType }: z.infer<typeof UpsertBucket>,
): Promise<void> {
  const labels = [
    ...(tags ?? []),
    ...(groupName ? [`group=${groupName}`] : []),
    ...(jobType ? [`job_type=${jobType}`] : []),
  ];
  const wish = {
    config: config ? valuesOf(config) : undefined,
    labels: labels.length > 0 ? labels : undefined,
  };
  // A trainer should not fail for a configuration that is too large to be shown.
  await describeRun(ctx, runId, wish).catch(async (error: unknown) => {
    const known = asAppError(error);
    if (known.code !== "BAD_REQUEST") throw error;
    await recordRunEvent(ctx, runId, {
      ...{ kind: "alert", actor: ctx.actor, message: known.userMessage },
      sourceKey: "config-too-large",
    });
  });
}

const Wrapped = z.object({ value: z.unknown() });

/** The values themselves, without those that the client keeps for itself. */
function valuesOf(config: string): Record<string, unknown> {
  const parsed = z.record(z.string(), z.unknown()).safeParse(parseLoosely(config));
  if (!parsed.success) return {};
  const entries = Object.entries(parsed.data).filter(([key]) => key !== "_wandb");
  return Object.fromEntries(
    entries.map(([key, held]) => {
      const wrapped = Wrapped.safeParse(held);
      return [key, wrapped.success && "value" in wrapped.data ? wrapped.data.value : held];
    }),
  );
}
