import { AppError } from "@liverl/contract/app-error";
import type { Experiment } from "@liverl/prisma/client";
import { z } from "zod";
import { Entry, MaxResults } from "#mlflow/rest-shapes.ts";
import { jsonText, storableText } from "#trackers/json-text.ts";
import { projectNameOf } from "#trackers/slug-of.ts";
import { refuseOtherProject, type TrackerContext } from "#trackers/writer.ts";

const Name = z.string().min(1).max(500);
const Id = z
  .string()
  .regex(/^\d{1,9}$/, "not the id of an experiment")
  .transform(Number);

export const CreateExperiment = z.object({ name: Name, tags: z.array(Entry).nullish() });
export const GetExperiment = z.object({ experiment_id: Id });
export const GetExperimentByName = z.object({ experiment_name: Name });
export const SearchExperiments = z.object({
  max_results: MaxResults,
  page_token: z.string().nullish(),
});
export const TagExperiment = GetExperiment.extend(Entry.shape);

type Db = Pick<TrackerContext, "db" | "writer">;

export async function createExperiment(ctx: Db, { name, tags }: z.infer<typeof CreateExperiment>) {
  refuseOtherProject(ctx.writer, projectNameOf(name));
  const [made] = await ctx.db.experiment.createManyAndReturn({
    data: [
      {
        name: storableText(name),
        project: projectNameOf(name),
        tags: JSON.parse(
          jsonText(Object.fromEntries((tags ?? []).map((tag) => [tag.key, tag.value]))),
        ),
      },
    ],
    skipDuplicates: true,
  });
  if (!made)
    throw new AppError("CONFLICT", { userMessage: `Experiment '${name}' already exists.` });
  return { experiment_id: String(made.id) };
}

export async function getExperiment(ctx: Db, { experiment_id: id }: z.infer<typeof GetExperiment>) {
  return { experiment: viewExperiment(await getExperimentRow(ctx, id)) };
}

export async function getExperimentByName(
  ctx: Db,
  { experiment_name: name }: z.infer<typeof GetExperimentByName>,
) {
  const row = await ctx.db.experiment.findUnique({ where: { name: storableText(name) } });
  if (!row)
    throw new AppError("NOT_FOUND", {
      userMessage: `Could not find experiment with name '${name}'`,
    });
  refuseOtherProject(ctx.writer, row.project);
  return { experiment: viewExperiment(row) };
}

/** All of them by number, newest first, a page at a time. A page's token is the number that the next one begins below. */
export async function searchExperiments(ctx: Db, input: z.infer<typeof SearchExperiments>) {
  const take = Math.min(Math.max(input.max_results ?? 1000, 1), 1000);
  const below = Number(input.page_token || Number.NaN);
  const rows = await ctx.db.experiment.findMany({
    where: {
      ...(Number.isInteger(below) && { id: { lt: below } }),
      ...(ctx.writer.kind === "project" && { project: ctx.writer.project }),
    },
    orderBy: { id: "desc" },
    take,
  });
  const last = rows.at(-1);
  return {
    experiments: rows.map(viewExperiment),
    ...(rows.length === take && last ? { next_page_token: String(last.id) } : {}),
  };
}

export async function tagExperiment(ctx: TrackerContext, input: z.infer<typeof TagExperiment>) {
  await getExperimentRow(ctx, input.experiment_id);
  await ctx.pool.query(
    "UPDATE experiment SET tags = tags || $2::jsonb, updated_at = now() WHERE id = $1",
    [input.experiment_id, jsonText({ [input.key]: input.value })],
  );
  return {};
}

export async function getExperimentRow(ctx: Db, id: number): Promise<Experiment> {
  const row = await ctx.db.experiment.findUnique({ where: { id } });
  if (row) {
    refuseOtherProject(ctx.writer, row.project);
    return row;
  }
  throw new AppError("NOT_FOUND", { userMessage: `No Experiment with id=${id} exists` });
}

function viewExperiment(row: Experiment) {
  return {
    experiment_id: String(row.id),
    name: row.name,
    artifact_location: `mlflow-artifacts:/${row.id}`,
    lifecycle_stage: "active",
    creation_time: row.createdAt.getTime(),
    last_update_time: row.updatedAt.getTime(),
    tags: Object.entries(row.tags as Record<string, string>).map(([key, value]) => ({
      key,
      value,
    })),
  };
}
