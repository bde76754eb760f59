import { randomUUID } from "node:crypto";
import type { AddSilence, SilenceView } from "@liverl/contract/alert";
import { AppError } from "@liverl/contract/app-error";
import { findSilence } from "#alerts/find-silence.ts";
import type { Context } from "#context.ts";
import { refuseTooMany } from "#refuse-too-many.ts";

/** Silences that hold now, the one that ends first before the others. */
export async function listSilences(
  { db }: Pick<Context, "db">,
  { project }: { project: string },
): Promise<{ silences: SilenceView[] }> {
  const rows = await db.alertSilence.findMany({
    where: { project, until: { gt: new Date() } },
    orderBy: { until: "asc" },
    include: { rule: { select: { name: true } } },
  });
  return {
    silences: rows.map(({ rule, until, createdAt, project: _, ...row }) => ({
      ...row,
      ruleName: rule?.name ?? null,
      until: until.toISOString(),
      createdAt: createdAt.toISOString(),
    })),
  };
}

/** Tells nobody of what it covers until it ends; what is open and covered is silent from now on. */
export async function addSilence(
  ctx: Pick<Context, "db" | "live"> & { actor: string },
  { project, ruleId, runId, minutes, reason }: AddSilence,
): Promise<{ id: string }> {
  await checkParts(ctx, { project, ruleId, runId });
  const holding = { project, until: { gt: new Date() } };
  refuseTooMany(project, await ctx.db.alertSilence.count({ where: holding }), "silences");
  const silence = await ctx.db.alertSilence.create({
    data: {
      ...{ id: randomUUID(), project, ruleId, runId, reason, actor: ctx.actor },
      until: new Date(Date.now() + minutes * 60_000),
    },
  });
  const open = await ctx.db.alert.findMany({
    where: { project, resolvedAt: null, silenced: null },
  });
  const covered = open.filter((alert) => findSilence([silence], alert, Date.now()) !== null);
  await ctx.db.alert.updateMany({
    where: { id: { in: covered.map(({ id }) => id) } },
    data: { silenced: reason },
  });
  return { id: silence.id };
}

async function checkParts(
  { db }: Pick<Context, "db">,
  { project, ruleId, runId }: { project: string; ruleId: string | null; runId: string | null },
): Promise<void> {
  if (ruleId !== null && (await db.alertRule.count({ where: { id: ruleId, project } })) === 0)
    throw new AppError("NOT_FOUND", { userMessage: `${project} has no rule ${ruleId}.` });
  if (runId !== null && (await db.run.count({ where: { id: runId, project } })) === 0)
    throw new AppError("NOT_FOUND", { userMessage: `${project} has no run ${runId}.` });
}

/** Ends a silence now: of what is still open, people are told. */
export async function endSilence(
  ctx: Pick<Context, "db" | "live">,
  { project, id }: { project: string; id: string },
): Promise<void> {
  const { count } = await ctx.db.alertSilence.deleteMany({ where: { id, project } });
  if (count === 0)
    throw new AppError("NOT_FOUND", { userMessage: "This silence has ended already." });
  const open = await ctx.db.alert.findMany({ where: { project, resolvedAt: null } });
  for (const { runId } of open) ctx.live.emit("run", runId);
}
