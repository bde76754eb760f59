import { statfs } from "node:fs/promises";
import { isVerlDriver } from "@liverl/contract/run";
import type { CheckpointRow } from "@liverl/contract/views";
import { checkpointActs } from "#checkpoints/checkpoint-acts.ts";
import { type FoundCheckpoint, findCheckpoints } from "#checkpoints/find-checkpoints.ts";
import { findHf } from "#checkpoints/hf/find-hf.ts";
import { findShards } from "#checkpoints/merge/find-shards.ts";
import { viewMerge } from "#checkpoints/view-merge.ts";
import type { Context } from "#context.ts";
import { listForks } from "#forks/list-forks.ts";
import type { Points } from "#metrics/chunk-points.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { findEvaluation, findSignal, loadSignals } from "#verdict/load-signals.ts";

/** The run's checkpoints, newest first: those on disk and those that are only remembered. */
export async function listCheckpoints(
  ctx: Pick<Context, "db" | "pool" | "config">,
  { runId }: { runId: string },
): Promise<{ checkpoints: CheckpointRow[]; freeBytes: number }> {
  const run = await getRunRow(ctx, runId);
  const isVerl = isVerlDriver(run.driver);
  const found = await findCheckpoints(ctx.config.dataDir, runId);
  const [forms, forks, merges, rows, signals, resumes, disk] = await Promise.all([
    isVerl ? Promise.all(found.map(readForm)) : [],
    listForks(ctx, runId),
    ctx.db.checkpointMerge.findMany({ where: { runId } }),
    ctx.db.checkpoint.findMany({ where: { runId } }),
    loadSignals(ctx.pool, [runId]),
    ctx.db.runEvent.findMany({ where: { runId, kind: "resume", actor: "trainer" } }),
    statfs(ctx.config.dataDir),
  ]);
  const known = signals.get(runId)?.signals ?? new Map<string, Points>();
  const reward = findSignal(known, "reward/mean")?.points;
  const held = findEvaluation(known)?.points;
  const formOf = new Map(forms.map((form) => [form.step, form]));
  const mergeOf = new Map(merges.map((row) => [row.step, viewMerge(row)]));
  const onDisk = new Map(found.map((checkpoint) => [checkpoint.step, checkpoint]));
  const remembered = new Map(rows.map((row) => [row.step, row]));
  const steps = [...new Set([...onDisk.keys(), ...remembered.keys()])].sort((a, b) => b - a);
  const checkpoints = steps.map((step): CheckpointRow => {
    const folder = onDisk.get(step);
    const row = remembered.get(step);
    const form = formOf.get(step);
    const merge = mergeOf.get(step) ?? null;
    const hf = form?.hf ?? null;
    return {
      step,
      path: folder?.path ?? row?.path ?? "",
      writtenAt: (row?.writtenAt ?? folder?.writtenAt ?? new Date(0)).toISOString(),
      seconds: row?.seconds ?? null,
      sizeBytes: folder?.sizeBytes ?? row?.sizeBytes ?? 0,
      onDisk: folder !== undefined,
      complete: folder?.complete ?? false,
      contents: folder?.contents ?? [],
      weightsSha256: row?.weightsSha256 ?? null,
      stateSha256: row?.stateSha256 ?? null,
      reward: valueAt(reward, step),
      heldOutReward: valueAt(held, step),
      loadedBy: resumes
        .filter((event) => event.step === step)
        .map((event) => `${runId} at ${event.at.toISOString()}`),
      forks: forks.filter((fork) => fork.step === step),
      merge,
      hf,
      can: checkpointActs({ run, found: folder, hf, merge, shards: form?.shards ?? null }),
    };
  });
  return { checkpoints, freeBytes: disk.bavail * disk.bsize };
}

/** What a merge would read of a checkpoint of verl, and what it would make. */
async function readForm({ step, path }: FoundCheckpoint) {
  const hf = await findHf(path);
  const shards = hf === null ? await findShards(path) : null;
  return { step, hf, shards: typeof shards === "string" ? shards : null };
}

function valueAt(points: Points | undefined, step: number): number | null {
  const at = points?.step.indexOf(step) ?? -1;
  return at === -1 ? null : (points?.value[at] ?? null);
}
