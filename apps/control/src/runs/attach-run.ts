import { open, realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import type { AttachRun } from "@liverl/contract/run";
import type { z } from "zod";
import type { Context } from "#context.ts";
import { parseMetricLine } from "#metrics/parse-metric-line.ts";
import { FILE_ONLY } from "#metrics/tail-file.ts";
import { insertRun } from "#runs/insert-run.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";
import { findEventFiles, findEventFolders } from "#tensorboard/find-event-files.ts";

const PROBE_BYTES = 256 * 1024;

/** Follows a metrics file, or a folder of TensorBoard's, that a trainer elsewhere writes, as a run of its own. All is read from its start. */
export async function attachRun(
  ctx: Context & { actor: string },
  { project, name, path, source = "file" }: z.input<typeof AttachRun>,
): Promise<{ id: string }> {
  const file = await (source === "file" ? checkMetricsFile(path) : checkEventFolder(path));
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
    source,
    attachedPath: file,
    tags: [],
    startedAt: new Date(),
  });
  await ctx.db.ingestSource.create({
    data: { runId: run.id, path: file, kind: source === "file" ? "file" : "folder" },
  });
  await recordRunEvent(ctx, run.id, {
    kind: "attach",
    actor: ctx.actor,
    message: `follows ${file}`,
  });
  ctx.ingest.refresh();
  return { id: run.id };
}

/** The real path of a folder with event files directly in it. */
async function checkEventFolder(path: string): Promise<string> {
  refuseRelative(path);
  const folder = await realpath(path).catch(() => null);
  const found = folder === null ? null : await stat(folder).catch(() => null);
  if (folder === null || !found?.isDirectory())
    throw new AppError("BAD_REQUEST", {
      userMessage: `${path} is not a folder that can be read: give the one that TensorBoard's event files lie in.`,
    });
  const files = await findEventFiles(folder).catch((cause: unknown) => {
    throw new AppError("BAD_REQUEST", {
      userMessage: `${path} can not be read: is it readable for the user that runs LiveRL?`,
      cause,
    });
  });
  if (files.length > 0) return folder;
  const inside = await findEventFolders(folder);
  throw new AppError("BAD_REQUEST", {
    userMessage:
      inside.length === 0
        ? `There is no event file in ${path} yet: their names have "tfevents" in them.`
        : `The event files lie one folder deeper, a run each: attach ${inside.slice(0, 5).join(", ")}${inside.length > 5 ? ", …" : ""} of ${path}.`,
  });
}

function refuseRelative(path: string): void {
  if (!isAbsolute(path))
    throw new AppError("BAD_REQUEST", {
      userMessage: "Give the absolute path: it starts with /.",
    });
}

/** The real path of a readable file whose first whole line, if any, is a metrics line. */
async function checkMetricsFile(path: string): Promise<string> {
  refuseRelative(path);
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
