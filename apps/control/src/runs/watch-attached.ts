import { readdir, readFile, readlink } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { moveRun } from "#runs/move-run.ts";
import { summariseRuns } from "#runs/summarise-runs.ts";
import { stallLimitMs } from "#verdict/judge-performance.ts";
import type { RunSignals } from "#verdict/load-signals.ts";

const EVERY_MS = 15_000;
/** A program that reopens its file for each line is not taken for one that is gone. */
const WRITER_GONE_MS = 30_000;
/** Any attached run without a metric for this long has ended. */
const SILENT_MS = 24 * 3_600_000;
const ACTOR = "ingest";

/** What is known of an attached run that says nothing of its end itself. */
export interface AttachedEvidence {
  attachedMs: number;
  /** The newest metric; null where there is none yet. */
  lastPointMs: number | null;
  nowMs: number;
  /** From here on a run without news counts as stalled. */
  limitMs: number;
  /** Programs of this machine that have a file of the run open for writing now; null where that cannot be seen. */
  writers: number | null;
  /** Whether one had, since LiveRL follows the run. */
  hadWriter: boolean;
  lastStep: number | null;
  plannedSteps: number | null;
}

/** Why the run has ended, in words; null while it may go on. Pure. */
export function endOfAttached(evidence: AttachedEvidence): string | null {
  const { attachedMs, lastPointMs, nowMs, limitMs, writers, hadWriter } = evidence;
  if (lastPointMs === null || (writers ?? 0) > 0) return null;
  const quietMs = nowMs - lastPointMs;
  if (hadWriter && quietMs > WRITER_GONE_MS) return "the program that wrote its metrics has exited";
  if (quietMs <= limitMs) return null;
  const { lastStep, plannedSteps } = evidence;
  if (plannedSteps !== null && lastStep !== null && lastStep >= plannedSteps - 1)
    return `all ${plannedSteps} planned steps are logged`;
  if (lastPointMs < attachedMs) return "nothing was written since it was attached";
  return quietMs > SILENT_MS ? "no metrics for 24 hours" : null;
}

/** Ends attached runs whose trainer is gone, and reopens those that log again, until `signal`. */
export async function watchAttached(
  ctx: Pick<Context, "db" | "pool" | "live" | "log">,
  signal: AbortSignal,
): Promise<void> {
  const seenWriters = new Set<string>();
  while (!signal.aborted) {
    await checkAttached(ctx, seenWriters).catch((error: unknown) => {
      if (!signal.aborted) ctx.log.debug({ err: error }, "attached runs wait");
    });
    await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** One look. `seenWriters`: runs that a program of this machine was seen to write. */
export async function checkAttached(
  ctx: Pick<Context, "db" | "pool" | "live">,
  seenWriters: Set<string>,
): Promise<void> {
  const rows = await ctx.db.run.findMany({
    where: { driver: "attached", status: { in: ["running", "ended"] }, importedAt: null },
  });
  if (rows.length === 0) return;
  const found = await summariseRuns(ctx, rows);
  const writersOf = await findWriters(ctx, rows);
  for (const [i, row] of rows.entries()) {
    const known = found[i]?.known;
    if (!known) continue;
    const writers = writersOf(row.id);
    if ((writers ?? 0) > 0) seenWriters.add(row.id);
    if (row.status === "ended") {
      const hasNews = (known.lastWallMs ?? 0) > (row.endedAt?.getTime() ?? 0);
      if (hasNews) await moveRun(ctx, row.id, { to: "running", reason: null, actor: ACTOR });
      continue;
    }
    const reason = endOfAttached(evidenceOf(row, known, writers, seenWriters.has(row.id)));
    if (reason === null || known.lastWallMs === null) continue;
    const endedAt = new Date(known.lastWallMs);
    await moveRun(ctx, row.id, { to: "ended", reason, actor: ACTOR, change: { endedAt } });
    seenWriters.delete(row.id);
  }
}

function evidenceOf(
  row: Run,
  known: RunSignals,
  writers: number | null,
  hadWriter: boolean,
): AttachedEvidence {
  return {
    attachedMs: row.createdAt.getTime(),
    lastPointMs: known.lastWallMs,
    nowMs: Date.now(),
    limitMs: stallLimitMs(known.signals),
    writers,
    hadWriter,
    lastStep: known.lastStep,
    plannedSteps: plannedStepsOf(row.config),
  };
}

/** Names under which trainers say how many steps they take. */
const PLANNED = ["total_training_steps", "max_steps", "num_rollout", "num_train_steps"];

/** The planned steps in a logged configuration, nested or with dots in its names; null where it says none. */
export function plannedStepsOf(config: unknown): number | null {
  if (typeof config !== "object" || config === null || Array.isArray(config)) return null;
  for (const [name, value] of Object.entries(config)) {
    const last = name.split(/[./]/).at(-1) ?? "";
    const count = PLANNED.includes(last) ? Number(value) : Number.NaN;
    if (Number.isSafeInteger(count) && count > 0) return count;
    const inside = plannedStepsOf(value);
    if (inside !== null) return inside;
  }
  return null;
}

/** Run → programs of this machine that have one of its files open for writing; null where the run has none or `/proc` does not tell. */
async function findWriters(
  { db }: Pick<Context, "db">,
  rows: readonly Run[],
): Promise<(runId: string) => number | null> {
  const sources = await db.ingestSource.findMany({
    where: { runId: { in: rows.map(({ id }) => id) }, kind: { in: ["file", "events"] } },
    select: { runId: true, path: true },
  });
  const runOf = new Map(sources.map(({ path, runId }) => [path, runId]));
  if (process.platform !== "linux" || runOf.size === 0) return () => null;
  const counts = new Map<string, number>();
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid) continue;
    // Other users' processes cannot be read, and processes end meanwhile.
    const fds = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const fd of fds) {
      const path = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => "");
      const runId = runOf.get(path);
      if (runId === undefined || !(await isForWriting(pid, fd))) continue;
      counts.set(runId, (counts.get(runId) ?? 0) + 1);
    }
  }
  const hasFiles = new Set(runOf.values());
  return (runId) => (hasFiles.has(runId) ? (counts.get(runId) ?? 0) : null);
}

/** Its last octal digit but one of the access mode: 0 reads, 1 writes, 2 does both. */
async function isForWriting(pid: string, fd: string): Promise<boolean> {
  const info = await readFile(`/proc/${pid}/fdinfo/${fd}`, "utf8").catch(() => "");
  const flags = Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? "0", 8);
  return (flags & 3) !== 0;
}
