import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { LaunchSpec } from "@liverl/contract/launch";
import { mergeName } from "#checkpoints/merge/merge-files.ts";
import type { Context } from "#context.ts";
import { type RunFiles, runFiles } from "#drivers/embedded/run-files.ts";
import { getRunRow } from "#runs/get-run-row.ts";

export interface LogSource {
  id: string;
  label: string;
  path: string;
}

const SHARED = [
  { id: "runner", label: "Trial runner" },
  { id: "proxy", label: "Proxy" },
  { id: "control", label: "Control" },
  { id: "postgres", label: "PostgreSQL" },
];

/** The logs that belong to a run: its own processes first, then the ones that all runs share. */
export async function logSources(
  ctx: Pick<Context, "db" | "config">,
  runId: string,
): Promise<LogSource[]> {
  const run = await getRunRow(ctx, runId);
  const { dataDir } = ctx.config;
  const shared = SHARED.map((source) => ({
    ...source,
    path: join(dataDir, "logs", `${source.id}.log`),
  }));
  if (run.source === "wandb")
    return [
      { id: "output", label: "Console", path: runFiles(dataDir, runId).log("output") },
      ...shared,
    ];
  const spec = LaunchSpec.safeParse(run.spec);
  if (!spec.success) return shared;
  const files = runFiles(dataDir, runId);
  if (spec.data.driver !== "embedded")
    return [
      { id: "verl", label: "verl", path: files.log(`verl-${Math.max(1, run.attempt)}`) },
      { id: "venv", label: "Python environment", path: files.log("venv") },
      ...(await mergeLogs(ctx, runId, files)),
      ...shared,
    ];
  const engines = Array.from({ length: spec.data.rollout.engines }, (_, i) => ({
    id: `engine-${i}`,
    label: `Engine ${i}`,
    path: files.log(`engine-${i}`),
  }));
  return [{ id: "trainer", label: "Trainer", path: files.log("trainer") }, ...engines, ...shared];
}

/** Of merges of its checkpoints, by step. */
async function mergeLogs(
  ctx: Pick<Context, "db">,
  runId: string,
  files: RunFiles,
): Promise<LogSource[]> {
  const merges = await ctx.db.checkpointMerge.findMany({
    where: { runId },
    orderBy: { step: "asc" },
  });
  return merges.map(({ step }) => ({
    id: mergeName(step),
    label: `Merge of step ${step}`,
    path: files.log(mergeName(step)),
  }));
}

/** Sources are named, never paths: what is not in the list can not be read. */
export async function getLogSource(
  ctx: Pick<Context, "db" | "config">,
  runId: string,
  id: string,
): Promise<LogSource> {
  const source = (await logSources(ctx, runId)).find((candidate) => candidate.id === id);
  if (!source) throw new AppError("NOT_FOUND", { userMessage: `${runId} has no log ${id}.` });
  return source;
}
