import { open, realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import type { AttachRun } from "@liverl/contract/run";
import type { Context } from "#context.ts";
import { parseMetricLine } from "#metrics/parse-metric-line.ts";
import { FILE_ONLY } from "#metrics/tail-file.ts";
import { insertRun } from "#runs/insert-run.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

const PROBE_BYTES = 256 * 1024;

/** Follows a metrics file that a trainer elsewhere writes, as a run of its own. The file is read from its start. */
export async function attachRun(
  ctx: Context & { actor: string },
  { project, name, path }: AttachRun,
): Promise<{ id: string }> {
  const file = await checkMetricsFile(path);
  const followed = await ctx.db.ingestSource.findFirst({ where: { path: file, active: true } });
  if (followed)
    throw new AppError("CONFLICT", {
      userMessage: `${file} is already followed by ${followed.runId}.`,
    });
  const run = await insertRun(ctx, {
    project,
    name,
    status: "running",
    driver: "attached",
    attachedPath: file,
    tags: [],
    startedAt: new Date(),
  });
  await ctx.db.ingestSource.create({ data: { runId: run.id, path: file } });
  await recordRunEvent(ctx, run.id, {
    kind: "attach",
    actor: ctx.actor,
    message: `follows ${file}`,
  });
  ctx.ingest.refresh();
  return { id: run.id };
}

/** The real path of a readable file whose first whole line, if any, is a metrics line. */
async function checkMetricsFile(path: string): Promise<string> {
  if (!isAbsolute(path))
    throw new AppError("BAD_REQUEST", {
      userMessage: "Give the file's absolute path: it starts with /.",
    });
  const file = await realpath(path).catch(() => null);
  const found = file === null ? null : await stat(file).catch(() => null);
  if (found && !found.isFile())
    throw new AppError("BAD_REQUEST", { userMessage: `${path} is not a file.` });
  const handle = file === null ? null : await open(file, FILE_ONLY).catch(() => null);
  if (file === null || handle === null)
    throw new AppError("BAD_REQUEST", {
      userMessage: `${path} can not be read: is it there, and readable for the user that runs LiveRL?`,
    });
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(PROBE_BYTES), 0, PROBE_BYTES, 0);
    const text = buffer.toString("utf8", 0, bytesRead);
    const newline = text.indexOf("\n");
    if (newline === -1) return file;
    const { fault } = parseMetricLine(text.slice(0, newline));
    if (fault !== null)
      throw new AppError("BAD_REQUEST", {
        userMessage: `The first line of ${path} is not one of verl's file logger ({"step": …, "data": {…}}): ${fault}.`,
      });
    return file;
  } finally {
    await handle.close();
  }
}
