import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@liverl/contract/app-error";
import type { MergeStatus } from "@liverl/contract/views";
import { readJson } from "@liverl/durable/atomic-file";
import {
  findRecorded,
  forgetRecorded,
  isAlive,
  recoverRecord,
  startRecorded,
} from "@liverl/durable/process";
import { z } from "zod";
import { checkHfFolder } from "#checkpoints/hf/check-hf-folder.ts";
import { findHf } from "#checkpoints/hf/find-hf.ts";
import { mergeableSpec, needShards } from "#checkpoints/merge/judge-merge.ts";
import { keepHfFolder } from "#checkpoints/merge/keep-hf-folder.ts";
import { buildMergeCommand, interpreterIn } from "#checkpoints/merge/merge-command.ts";
import { type MergeFiles, mergeFiles } from "#checkpoints/merge/merge-files.ts";
import { readMergeProgress } from "#checkpoints/merge/merge-progress.ts";
import type { Context } from "#context.ts";
import { isDatabaseAway } from "#database/is-database-away.ts";
import { explainLog } from "#diagnosis/log-diagnosis.ts";
import { ADAPTER } from "#drivers/verl/collect-adapter.ts";
import { ensureVenv } from "#drivers/verl/ensure-venv.ts";
import { stopFamily } from "#drivers/verl/process-family.ts";
import { childEnv } from "#env.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

const POLL_MS = 400;
const STOP_GRACE_MS = 5_000;
const Exit = z.object({ code: z.number().int(), endedAt: z.string() });

export interface MergeKey {
  runId: string;
  step: number;
}
interface Outcome {
  status: Extract<MergeStatus, "done" | "failed" | "cancelled">;
  detail: string | null;
}

/**
 * Brings one merge to its end. May be called again after a restart of control: a merger that lives is watched on, one
 * that has ended meanwhile is judged by what it left. Rejects when `signal` fires; the merger lives on then.
 */
export async function conductMerge(
  ctx: Context,
  key: MergeKey,
  signal: AbortSignal,
): Promise<void> {
  const files = mergeFiles(ctx.config.dataDir, key.runId, key.step);
  const cancel = watchForCancel(ctx, key);
  const outcome = await merge(ctx, key, files, AbortSignal.any([signal, cancel.signal]))
    .catch((error: unknown): Outcome => {
      if (signal.aborted || isDatabaseAway(error)) throw error;
      if (cancel.signal.aborted) return { status: "cancelled", detail: null };
      if (!(error instanceof AppError)) ctx.log.error({ err: error, ...key }, "a merge failed");
      const words =
        error instanceof AppError ? error.userMessage : "the control log has the details";
      return { status: "failed", detail: words };
    })
    .finally(cancel.forget);
  signal.throwIfAborted();
  const record = await findRecorded(ctx.config.processes, files.process);
  if (record) await stopFamily(record, STOP_GRACE_MS);
  await forgetRecorded(ctx.config.processes, files.process);
  await rm(files.staged, { recursive: true, force: true });
  await ctx.db.checkpointMerge.update({
    where: { runId_step: key },
    data: { ...outcome, share: null, endedAt: new Date() },
  });
  await recordRunEvent(ctx, key.runId, {
    kind: "checkpoint",
    actor: "control",
    step: key.step,
    message: wordsOf(key.step, outcome),
  });
}

function wordsOf(step: number, { status, detail }: Outcome): string {
  if (status === "done") return `merged the checkpoint of step ${step} into Hugging Face form`;
  if (status === "cancelled") return `the merge of step ${step} was cancelled`;
  return `the merge of step ${step} failed: ${detail}`;
}

async function merge(
  ctx: Context,
  key: MergeKey,
  files: MergeFiles,
  signal: AbortSignal,
): Promise<Outcome> {
  if ((await findHf(files.checkpoint)) !== null) return { status: "done", detail: null };
  const { count } = await ctx.db.checkpointMerge.updateMany({
    where: { ...key, status: "queued" },
    data: { status: "running", startedAt: new Date() },
  });
  const row = await ctx.db.checkpointMerge.findUniqueOrThrow({ where: { runId_step: key } });
  if (row.status !== "running") return { status: "cancelled", detail: null };
  if (count > 0) await startMerger(ctx, key, files, signal);
  const code = await untilEnded(ctx, key, files, signal);
  if (code === null)
    return {
      status: "failed",
      detail:
        "The merger was ended from outside: by a stop of LiveRL, or for memory (all shards are loaded at once). Merge again.",
    };
  if (code !== 0) {
    const cause = await explainLog(files.log);
    return { status: "failed", detail: cause ?? `verl's merger ended with code ${code}` };
  }
  await tell(ctx, key, { detail: "checks what was written", share: null });
  const fault = await checkHfFolder(files.staged);
  if (fault !== null)
    return { status: "failed", detail: `verl's merger wrote no whole model: ${fault}` };
  await keepHfFolder(files.staged, files.merged);
  return { status: "done", detail: null };
}

async function startMerger(
  ctx: Context,
  key: MergeKey,
  files: MergeFiles,
  signal: AbortSignal,
): Promise<void> {
  const { config } = ctx;
  const spec = mergeableSpec(await getRunRow(ctx, key.runId));
  if (typeof spec === "string") throw new AppError("CONFLICT", { userMessage: spec });
  const shards = await needShards(files.checkpoint);
  await mkdir(files.logs, { recursive: true });
  await forgetRecorded(config.processes, files.process);
  for (const path of [files.staged, files.exit, files.log])
    await rm(path, { recursive: true, force: true });
  await tell(ctx, key, { detail: "readies verl's Python environment", share: null });
  const target = spec.driver === "local-verl" ? spec.target : { venv: null, python: null };
  const venv =
    target.venv ??
    (await ensureVenv(
      config,
      { version: spec.verl.version, python: target.python, logPath: files.venvLog },
      (detail) => void tell(ctx, key, { detail, share: null }).catch(() => undefined),
      signal,
    ));
  const adapter = join(config.root, ADAPTER);
  const python = interpreterIn(venv);
  const { argv, env } = buildMergeCommand(spec, { python, adapter, shards, files });
  signal.throwIfAborted();
  await tell(ctx, key, { detail: "starts verl's merger", share: null });
  await startRecorded({
    directory: config.processes,
    name: files.process,
    argv,
    env: { ...childEnv(), ...env },
    cwd: files.checkpoint,
    logPath: files.log,
    startedBy: `control ${process.pid}`,
  }).catch((cause: unknown) => {
    throw new AppError("CONFLICT", {
      userMessage: `${python} can not be run: the environment of this run is gone. Give it back, or merge by hand with python -m verl.model_merger.`,
      cause,
    });
  });
}

/** The merger's exit code; null where it was killed. */
async function untilEnded(
  ctx: Context,
  key: MergeKey,
  files: MergeFiles,
  signal: AbortSignal,
): Promise<number | null> {
  let told = "";
  for (;;) {
    const record = await recoverRecord(ctx.config.processes, files.process);
    // Asked before the file is read: what ends between the two has written it.
    const alive = record !== null && (await isAlive(record));
    const exit = await readJson(files.exit, Exit);
    if (exit) return exit.code;
    if (!alive) return null;
    const progress = await readMergeProgress(files.log);
    if (progress && JSON.stringify(progress) !== told) {
      told = JSON.stringify(progress);
      await tell(ctx, key, progress);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

async function tell(
  ctx: Pick<Context, "db">,
  key: MergeKey,
  data: { detail: string; share: number | null },
): Promise<void> {
  await ctx.db.checkpointMerge.update({ where: { runId_step: key }, data });
}

/** Aborted once a person has cancelled. `forget` ends the looking. */
function watchForCancel(ctx: Pick<Context, "db">, key: MergeKey) {
  const asked = new AbortController();
  const look = async () => {
    const row = await ctx.db.checkpointMerge.findUnique({ where: { runId_step: key } });
    if (row?.status === "cancelling") asked.abort();
  };
  // The database is away: the next look asks again.
  const timer = setInterval(() => void look().catch(() => undefined), POLL_MS);
  return { signal: asked.signal, forget: () => clearInterval(timer) };
}
