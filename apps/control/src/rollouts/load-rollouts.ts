import type { RolloutRow } from "@liverl/contract/views";
import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { loadLive } from "#rollouts/live-rollouts.ts";
import { viewRollout } from "#rollouts/view-rollout.ts";
import { loadAccount } from "#updates/load-account.ts";

/** Rows of a run by their ids, in that order, each with what training made of it, which takes its whole group. */
export async function loadRollouts(
  ctx: Pick<Context, "db" | "pool">,
  run: Run,
  ids: readonly string[],
): Promise<RolloutRow[]> {
  const found = await ctx.db.rollout.findMany({ where: { rolloutId: { in: [...ids] } } });
  const byId = new Map(found.map((row) => [row.rolloutId, row]));
  const trained = found.filter(({ mode }) => mode === "train");
  const members = await ctx.db.rollout.findMany({
    where: {
      ...{ runId: run.id, mode: "train" },
      groupId: { in: [...new Set(trained.map(({ groupId }) => groupId))] },
    },
    select: MEMBER,
  });
  const [account, live] = await Promise.all([
    loadAccount(ctx, run, members),
    loadLive(ctx, run.id, found),
  ]);
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row ? [viewRollout(row, account, live.get(id) ?? null)] : [];
  });
}

const MEMBER = {
  ...{ rolloutId: true, groupId: true, mode: true, status: true, reward: true, termination: true },
  ...{
    integrityKinds: true,
    versionMin: true,
    tokensSampled: true,
    askedStep: true,
    queuedAt: true,
  },
} as const;
