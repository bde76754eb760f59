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
  /** Of LiveRL itself, and so of every run. */
  isShared: boolean;
}

const SHARED = [
  { id: "runner", label: "Trial runner" },
  { id: "proxy", label: "Proxy" },
  { id: "control", label: "Control" },
  { id: "postgres", label: "PostgreSQL" },
];

const own = (id: string, label: string, path: string): LogSource => ({
  ...{ id, label, path, isShared: false },
});

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
    isShared: true,
  }));
  if (run.source === "wandb")
    return [own("output", "Console", runFiles(dataDir, runId).log("output")), ...shared];
  const spec = LaunchSpec.safeParse(run.spec);
  if (!spec.success) return shared;
  const files = runFiles(dataDir, runId);
  if (spec.data.driver !== "embedded")
    return [
      own("verl", "verl", files.log(`verl-${Math.max(1, run.attempt)}`)),
      own("venv", "Python environment", files.log("venv")),
      ...(await mergeLogs(ctx, runId, files)),
      ...shared,
    ];
  const engines = Array.from({ length: spec.data.rollout.engines }, (_, i) =>
    own(`engine-${i}`, `Engine ${i}`, files.log(`engine-${i}`)),
  );
  return [own("trainer", "Trainer", files.log("trainer")), ...engines, ...shared];
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
  return merges.map(({ step }) =>
    own(mergeName(step), `Merge of step ${step}`, files.log(mergeName(step))),
  );
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
