import type { Prisma } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { dividesByStd, viewGroups } from "#groups/view-groups.ts";
import type { ListRollouts, RolloutPage } from "#rollouts/list-rollouts.types.ts";
import { getRunRow } from "#runs/get-run-row.ts";

/** Rollouts that match, newest step first; `cursor` goes on where a page ended. */
export async function listRollouts(
  ctx: Pick<Context, "db">,
  input: ListRollouts,
): Promise<RolloutPage> {
  const run = await getRunRow(ctx, input.runId);
  const where: Prisma.RolloutWhereInput = {
    runId: input.runId,
    mode: input.mode,
    step: input.step,
    status: input.status,
    ...(input.minReward === undefined && input.maxReward === undefined
      ? {}
      : { reward: { gte: input.minReward, lte: input.maxReward } }),
  };
  const [rows, total] = await Promise.all([
    ctx.db.rollout.findMany({
      where,
      orderBy: [
        { step: { sort: "desc", nulls: "last" } },
        { mode: "asc" },
        { groupId: "asc" },
        { index: "asc" },
        { rolloutId: "asc" },
      ],
      take: input.limit + 1,
      ...(input.cursor === undefined ? {} : { cursor: { rolloutId: input.cursor }, skip: 1 }),
    }),
    ctx.db.rollout.count({ where }),
  ]);
  const page = rows.slice(0, input.limit);
  // An advantage needs the whole group, of which the page may show a part.
  const groupIds = [...new Set(page.map((row) => row.groupId))];
  const members = await ctx.db.rollout.findMany({
    where: { runId: input.runId, groupId: { in: groupIds } },
  });
  const views = new Map(
    viewGroups(members, dividesByStd(run.spec)).flatMap((group) =>
      group.rollouts.map((rollout) => [rollout.rolloutId, rollout] as const),
    ),
  );
  return {
    rollouts: page.flatMap((row) => views.get(row.rolloutId) ?? []),
    nextCursor: rows.length > input.limit ? (page.at(-1)?.rolloutId ?? null) : null,
    total,
  };
}
