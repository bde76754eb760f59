import { ALERT_OVER } from "@liverl/contract/run";
import type { Alert, AlertRule, AlertSilence, Prisma } from "@liverl/prisma/client";
import type { Firing } from "#alerts/evaluate-condition.ts";
import type { Context } from "#context.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

type FiringContext = Pick<Context, "db" | "live">;
const ALERT_ACTOR = "alerts";

/** Keeps a firing and what is to be sent of it in one transaction, so that a crash tells nobody of nothing. */
export async function fireAlert(
  ctx: FiringContext,
  rule: AlertRule,
  runId: string,
  firing: Firing,
  silence: AlertSilence | null,
): Promise<void> {
  const alert = await ctx.db.$transaction(async (tx) => {
    const made = await tx.alert.create({
      data: {
        project: rule.project,
        ruleId: rule.id,
        ruleName: rule.name,
        ...{ runId, level: rule.level, silenced: silence?.reason ?? null },
        ...firing,
      },
    });
    if (!silence) await queueFired(tx, made);
    return made;
  });
  ctx.live.emit("delivery");
  await recordRunEvent(ctx, runId, {
    kind: "alert",
    actor: ALERT_ACTOR,
    step: firing.step,
    message: `${firing.title} (${rule.name})${silence ? `; silenced: ${silence.reason}` : ""}`,
    sourceKey: `alert:${alert.id}:fired`,
  });
}

/** A silence ended while the alert goes on: now somebody is told. */
export async function unsilenceAlert(ctx: FiringContext, alert: Alert): Promise<void> {
  await ctx.db.$transaction(async (tx) => {
    await tx.alert.update({ where: { id: alert.id }, data: { silenced: null } });
    await queueFired(tx, alert);
  });
  ctx.live.emit("delivery");
}

/** Whoever was told before is not told again: a delivery is one of its alert, receiver and event. */
async function queueFired(tx: Prisma.TransactionClient, alert: Alert): Promise<void> {
  const receivers = await tx.alertReceiver.findMany({
    where: { project: alert.project },
    select: { id: true },
  });
  await tx.alertDelivery.createMany({
    data: receivers.map(({ id }) => ({ receiverId: id, alertId: alert.id, event: "fired" })),
    skipDuplicates: true,
  });
}

/** Ends firings, and tells those who were told of them. */
export async function resolveAlerts(
  ctx: FiringContext,
  alerts: readonly Alert[],
  why: string,
): Promise<void> {
  for (const alert of alerts) {
    const isOurs = await ctx.db.$transaction(async (tx) => {
      const { count } = await tx.alert.updateMany({
        where: { id: alert.id, resolvedAt: null },
        data: { resolvedAt: new Date(), resolvedWhy: why },
      });
      if (count === 0) return false;
      if (alert.silenced === null) await queueResolved(tx, alert.id);
      return true;
    });
    if (!isOurs) continue;
    ctx.live.emit("delivery");
    await recordRunEvent(ctx, alert.runId, {
      kind: "alert",
      actor: ALERT_ACTOR,
      message: `${ALERT_OVER}${alert.title} (${alert.ruleName}); ${why}`,
      sourceKey: `alert:${alert.id}:resolved`,
    });
  }
}

async function queueResolved(tx: Prisma.TransactionClient, alertId: number): Promise<void> {
  // Receivers that the firing never reached have nothing to be told the end of.
  const told = await tx.alertDelivery.findMany({
    where: { alertId, event: "fired", status: { in: ["queued", "delivered"] } },
    select: { receiverId: true },
  });
  await tx.alertDelivery.createMany({
    data: told.map(({ receiverId }) => ({ receiverId, alertId, event: "resolved" })),
    skipDuplicates: true,
  });
}
