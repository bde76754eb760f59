import { randomUUID } from "node:crypto";
import {
  AlertCondition,
  AlertLevel,
  type AlertRuleView,
  type SaveRule,
} from "@liverl/contract/alert";
import { AppError } from "@liverl/contract/app-error";
import { resolveAlerts } from "#alerts/fire-alert.ts";
import type { Context } from "#context.ts";
import { refuseTooMany } from "#refuse-too-many.ts";

type Acting = Pick<Context, "db" | "live"> & { actor: string };

/** Rules of a project, oldest first. One that this version can not read is left out; its alerts stay. */
export async function listRules(
  { db }: Pick<Context, "db">,
  { project }: { project: string },
): Promise<{ rules: AlertRuleView[] }> {
  const rows = await db.alertRule.findMany({
    where: { project },
    orderBy: { createdAt: "asc" },
    include: { _count: { select: { alerts: { where: { resolvedAt: null } } } } },
  });
  return {
    rules: rows.flatMap(({ condition, level, createdAt, _count, ...row }) => {
      const read = AlertCondition.safeParse(condition);
      if (!read.success) return [];
      return [
        {
          ...row,
          condition: read.data,
          level: AlertLevel.parse(level),
          createdAt: createdAt.toISOString(),
          open: _count.alerts,
        },
      ];
    }),
  };
}

/** Makes a rule or changes one. What a changed rule said before is over. */
export async function saveRule(
  ctx: Acting,
  { id, project, ...rule }: SaveRule,
): Promise<{ id: string }> {
  if (id === undefined) {
    refuseTooMany(project, await ctx.db.alertRule.count({ where: { project } }), "rules");
    const made = await ctx.db.alertRule.create({
      data: { id: randomUUID(), project, ...rule, actor: ctx.actor },
    });
    await tellRunning(ctx, project);
    return { id: made.id };
  }
  const { count } = await ctx.db.alertRule.updateMany({
    where: { id, project },
    data: { ...rule, actor: ctx.actor },
  });
  if (count === 0) throw noRule(id);
  await endOpen(ctx, id, "its rule was changed");
  await tellRunning(ctx, project);
  return { id };
}

export async function removeRule(
  ctx: Acting,
  { project, id }: { project: string; id: string },
): Promise<void> {
  if ((await ctx.db.alertRule.count({ where: { id, project } })) === 0) throw noRule(id);
  await endOpen(ctx, id, "its rule was removed");
  await ctx.db.alertRule.deleteMany({ where: { id, project } });
}

const noRule = (id: string) =>
  new AppError("NOT_FOUND", { userMessage: `There is no rule ${id}: somebody removed it.` });

async function endOpen(ctx: Acting, ruleId: string, why: string): Promise<void> {
  const open = await ctx.db.alert.findMany({ where: { ruleId, resolvedAt: null } });
  await resolveAlerts(ctx, open, why);
}

/** Rules are looked at when a run changes: for those that go on, that is now. */
async function tellRunning({ db, live }: Acting, project: string): Promise<void> {
  const runs = await db.run.findMany({ where: { project, endedAt: null }, select: { id: true } });
  for (const { id } of runs) live.emit("run", id);
}
