import type { RunSource } from "@liverl/contract/run";
import type { TrackedRun } from "@liverl/prisma/client";
import { insertRun } from "#runs/insert-run.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";
import { jsonText, storableText } from "#trackers/json-text.ts";
import { projectNameOf, runNameOf } from "#trackers/slug-of.ts";
import { refuseForeign, refuseOtherProject, type TrackerContext } from "#trackers/writer.ts";

export interface TrackedWish {
  source: Extract<RunSource, "mlflow" | "wandb" | "api">;
  /** The client's name for the run: one name is one run. */
  key: string;
  project: string;
  name: string;
  startedMs: number;
  experimentId?: number;
  userId?: string;
  tags?: Record<string, string>;
}

const CLIENTS = { mlflow: "MLflow", wandb: "W&B", api: "the metrics API" };

/** The run that the client's name stands for; made as a running one where there is none yet. */
export async function openTrackedRun(
  ctx: Pick<TrackerContext, "db" | "live" | "actor" | "writer">,
  wish: TrackedWish,
): Promise<{ tracked: TrackedRun; isNew: boolean }> {
  const { source, key } = wish;
  refuseOtherProject(ctx.writer, projectNameOf(wish.project));
  const known = await findTrackedRun(ctx, source, key);
  if (known) return { tracked: known, isNew: false };
  const made = await makeTrackedRun(ctx, wish).catch(async (error: unknown) => {
    // Two requests at once: the other one made it.
    const others = await findTrackedRun(ctx, source, key);
    if (others) return others;
    throw error;
  });
  await recordRunEvent(ctx, made.runId, {
    kind: "attach",
    actor: ctx.actor,
    message: `logs through ${CLIENTS[source]}`,
    sourceKey: "attach",
  });
  return { tracked: made, isNew: true };
}

/** Throws FORBIDDEN for a run of others. */
export async function findTrackedRun(
  ctx: Pick<TrackerContext, "db" | "writer">,
  source: TrackedWish["source"],
  key: string,
): Promise<TrackedRun | null> {
  const found = await ctx.db.trackedRun.findUnique({ where: { source_key: { source, key } } });
  if (found === null) return null;
  const owned = await ctx.db.run.findUniqueOrThrow({
    where: { id: found.runId },
    select: { project: true, begunBy: true },
  });
  refuseForeign(ctx.writer, owned);
  return found;
}

function makeTrackedRun(
  ctx: Pick<TrackerContext, "db" | "writer">,
  wish: TrackedWish,
): Promise<TrackedRun> {
  const { source, key, startedMs, experimentId, userId = "", tags = {} } = wish;
  return ctx.db.$transaction(async (db) => {
    const run = await insertRun(
      { db },
      {
        project: projectNameOf(wish.project),
        name: runNameOf(wish.name),
        status: "running",
        driver: "attached",
        source,
        tags: [],
        begunBy: ctx.writer.by,
        startedAt: new Date(),
      },
    );
    return db.trackedRun.create({
      data: {
        ...{ source, key, runId: run.id, startedMs },
        name: storableText(wish.name),
        userId: storableText(userId),
        tags: JSON.parse(jsonText(tags)),
        ...(experimentId === undefined ? {} : { experimentId }),
      },
    });
  });
}
