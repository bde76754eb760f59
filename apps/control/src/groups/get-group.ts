import { AppError } from "@liverl/contract/app-error";
import type { GroupRow, RecordedAdvantage } from "@liverl/contract/views";
import type { Rollout } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { viewGroups } from "#groups/view-groups.ts";
import { loadLive, refreshLive } from "#rollouts/live-rollouts.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { countPatchLines, readPatch } from "#trajectories/read-patch.ts";
import { recordedAdvantages } from "#trajectories/trained/recorded-advantages.ts";
import { TrialFolder } from "#trajectories/trial-folder.ts";
import { loadAccount } from "#updates/load-account.ts";

export interface GroupView {
  group: GroupRow;
  step: number | null;
  askedStep: number | null;
  /** Neighbours in the same step; of a group that no update took, those asked for in the same one; null at the ends. */
  previous: string | null;
  next: string | null;
  /** What the trainer recorded of their trained tokens' advantages, by the rollout's id; none without a record. */
  advantages: Record<string, RecordedAdvantage>;
  /** Lines that each rollout's patch adds and removes, by the rollout's id; one whose patch was not kept has none. */
  patchLines: Record<string, number>;
}

/** One group with all its rollouts. */
export async function getGroup(
  ctx: Pick<Context, "db" | "pool" | "config" | "log" | "runner">,
  { runId, groupId }: { runId: string; groupId: string },
): Promise<GroupView> {
  const run = await getRunRow(ctx, runId);
  const rows = await ctx.db.rollout.findMany({
    where: { runId, groupId },
    orderBy: [{ index: "asc" }, { rolloutId: "asc" }],
  });
  await refreshLive(ctx, runId);
  const live = await loadLive(ctx, runId, rows);
  const [group] = viewGroups(rows, await loadAccount(ctx, run, rows), live);
  const [first] = rows;
  if (!group || !first)
    throw new AppError("NOT_FOUND", { userMessage: `${runId} has no group ${groupId}.` });
  const siblings = await ctx.pool.query<{ group_id: string }>(
    // `g10` comes after `g9`: by length first, then by text.
    `SELECT group_id FROM rollout WHERE run_id = $1 AND mode = $2 AND step IS NOT DISTINCT FROM $3
       AND (step IS NOT NULL OR asked_step IS NOT DISTINCT FROM $4)
     GROUP BY group_id ORDER BY length(group_id), group_id`,
    [runId, first.mode, first.step, first.askedStep],
  );
  const ids = siblings.rows.map((row) => row.group_id);
  const at = ids.indexOf(groupId);
  return {
    ...{ group, step: first.step, askedStep: first.askedStep },
    ...{ previous: ids[at - 1] ?? null, next: ids[at + 1] ?? null },
    advantages: await recordedAdvantages(ctx, runId, rows),
    patchLines: await patchLinesOf(ctx, rows),
  };
}

async function patchLinesOf(
  { config }: Pick<Context, "config">,
  rows: readonly Rollout[],
): Promise<Record<string, number>> {
  const sizes = rows.map(async ({ rolloutId, directory }) => {
    const patch = await readPatch(await TrialFolder.open(config.dataDir, directory));
    return patch === null ? [] : [[rolloutId, countPatchLines(patch)] as const];
  });
  return Object.fromEntries((await Promise.all(sizes)).flat());
}
