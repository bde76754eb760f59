import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { EmbeddedSpec } from "@liverl/contract/launch";
import { writeFileAtomic } from "@liverl/durable/atomic-file";
import { type ProcessRecord, startRecorded } from "@liverl/durable/process";
import type { Context } from "#context.ts";
import { buildTrainerPlan } from "#drivers/embedded/build-trainer-plan.ts";
import { processName, type RunFiles } from "#drivers/embedded/run-files.ts";
import { childEnv } from "#env.ts";
import { getRunRow } from "#runs/get-run-row.ts";

/** Starts the next attempt of a run's trainer: its plan and its metrics source are in place before the process is. */
export async function startTrainer(
  ctx: Pick<Context, "db" | "config" | "ingest">,
  runId: string,
  files: RunFiles,
  enginePorts: readonly number[],
): Promise<{ attempt: number; record: ProcessRecord; child: ChildProcess }> {
  const run = await getRunRow(ctx, runId);
  const attempt = run.attempt + 1;
  const step = Number(run.resumeFrom ?? "latest");
  const plan = buildTrainerPlan({
    runId,
    spec: EmbeddedSpec.parse(run.spec),
    attempt,
    resumeFrom: Number.isInteger(step) ? step : "latest",
    files,
    enginePorts,
    runner: {
      url: `http://127.0.0.1:${(await readFile(join(ctx.config.dataDir, "runner/port"), "utf8")).trim()}`,
      tokenPath: join(ctx.config.dataDir, "runner/admin.token"),
    },
  });
  await writeFileAtomic(files.plan, `${JSON.stringify(plan, null, 2)}\n`);
  await ctx.db.ingestSource.createMany({
    data: [{ runId, path: files.metrics(attempt) }],
    skipDuplicates: true,
  });
  // A crash from here on resumes from the newest checkpoint of this attempt, not from the step that was asked for once.
  await ctx.db.run.update({ where: { id: runId }, data: { attempt, resumeFrom: "latest" } });
  ctx.ingest.refresh();
  const { record, child } = await startRecorded({
    directory: ctx.config.processes,
    name: processName(runId, "trainer"),
    argv: [process.execPath, join(ctx.config.dist, "trainer.mjs"), "--run-dir", files.directory],
    env: childEnv(),
    cwd: files.directory,
    logPath: files.log("trainer"),
    startedBy: `control ${process.pid}`,
  });
  return { attempt, record, child };
}
