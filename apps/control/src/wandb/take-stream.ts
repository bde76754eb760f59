import { AppError } from "@liverl/contract/app-error";
import type { RunStatus } from "@liverl/contract/run";
import { runFiles } from "#drivers/embedded/run-files.ts";
import { parseLoosely } from "#metrics/parse-loosely.ts";
import { moveRun } from "#runs/move-run.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";
import { jsonText } from "#trackers/json-text.ts";
import { tellRefused } from "#trackers/tell-refused.ts";
import type { TrackerContext } from "#trackers/writer.ts";
import type { FileStreamRest } from "#wandb/parse-file-stream.ts";
import { Stream } from "#wandb/stream.ts";
import { writeOutput } from "#wandb/write-output.ts";

/** Streams of one run, one after the other: lines of its console are written by their number. */
const turns = new Map<string, Promise<unknown>>();

/** Takes a request of a client's file stream. All of it is durable when this resolves, and a repeat of it changes nothing. */
export async function takeStream(
  ctx: TrackerContext,
  key: string,
  body: Uint8Array,
): Promise<void> {
  const { runId, rest, refused } = await ctx.ingest.take(
    { format: "wandb-stream", key, body },
    ctx.writer,
  );
  if (runId === null)
    throw new AppError("NOT_FOUND", { userMessage: `There is no run ${key}: start it first.` });
  const before = turns.get(runId) ?? Promise.resolve();
  const turn = before
    .catch(() => undefined)
    .then(() => keepRest(ctx, runId, rest as FileStreamRest))
    .then(() => tellRefused(ctx, runId, refused));
  turns.set(runId, turn);
  await turn.finally(() => {
    if (turns.get(runId) === turn) turns.delete(runId);
  });
}

async function keepRest(ctx: TrackerContext, runId: string, rest: FileStreamRest): Promise<void> {
  const { rows } = await ctx.pool.query<{ stream: unknown; status: RunStatus }>(
    "SELECT t.stream, r.status FROM tracked_run t JOIN run r ON r.id = t.run_id WHERE t.run_id = $1",
    [runId],
  );
  const [row] = rows;
  if (!row) throw new AppError("NOT_FOUND", { userMessage: `There is no run ${runId}.` });
  const stream = Stream.parse(row.stream);
  if (rest.history) stream.history = rest.history;
  if (rest.events) stream.events = rest.events;
  if (rest.output) {
    const path = runFiles(ctx.config.dataDir, runId).log("output");
    stream.output = { count: await writeOutput(path, stream.output?.count ?? 0, rest.output) };
  }
  const summary = rest.summary === null ? null : parseLoosely(rest.summary);
  await ctx.pool.query(
    "UPDATE tracked_run SET stream = $2, summary = COALESCE($3::jsonb, summary) WHERE run_id = $1",
    [runId, jsonText(stream), summary === null ? null : jsonText(summary)],
  );
  if (rest.faults)
    await recordRunEvent(ctx, runId, {
      ...{ kind: "alert", actor: ctx.actor },
      message: `${rest.faults.count} logged values could not be kept: ${rest.faults.first}`,
      // One alert a run: a trainer that logs one bad key does so at every step.
      sourceKey: `wandb-fault:${rest.faults.first}`,
    });
  await follow(ctx, runId, row.status, rest);
}

/** The run ends with its exit code. A client that goes on with one that had ended makes it run again; one that somebody here stopped stays so. */
async function follow(
  ctx: TrackerContext,
  runId: string,
  status: RunStatus,
  { complete, exitCode }: FileStreamRest,
): Promise<void> {
  const { actor } = ctx;
  if (complete) {
    const isGood = exitCode === null || exitCode === 0;
    const reason = isGood ? null : `exit code ${exitCode}`;
    await moveRun(ctx, runId, { to: isGood ? "succeeded" : "failed", reason, actor });
  } else if (status === "succeeded" || status === "failed")
    await moveRun(ctx, runId, { to: "running", reason: "resumed", actor });
}
