import { randomUUID } from "node:crypto";
import {
  type AddReceiver,
  type DeliveryView,
  ReceiverFormat,
  type ReceiverView,
} from "@liverl/contract/alert";
import { AppError } from "@liverl/contract/app-error";
import { viewDelivery } from "#alerts/view-alert.ts";
import { deliver } from "#alerts/webhooks/courier.ts";
import { placeOfWebhook } from "#alerts/webhooks/webhook-guard.ts";
import type { Context } from "#context.ts";
import { refuseTooMany } from "#refuse-too-many.ts";

type Acting = Pick<Context, "db" | "live" | "log" | "config"> & { actor: string };

export async function listReceivers(
  { db, config }: Pick<Context, "db" | "config">,
  { project }: { project: string },
): Promise<{ receivers: ReceiverView[] }> {
  const rows = await db.alertReceiver.findMany({
    where: { project },
    orderBy: { createdAt: "asc" },
    include: { deliveries: { orderBy: { id: "desc" }, take: 1 } },
  });
  const receivers = rows.map(async ({ url, deliveries: [last], ...row }) => ({
    ...{ id: row.id, name: row.name, actor: row.actor },
    format: ReceiverFormat.parse(row.format),
    host: new URL(url).origin,
    fault: await faultOfAddress(url, config.webhookAllow),
    createdAt: row.createdAt.toISOString(),
    last: last ? viewDelivery(last, row.name) : null,
  }));
  return { receivers: await Promise.all(receivers) };
}

/** Why nothing is sent to an address; null where nothing speaks against it. A name that is away now may come back. */
async function faultOfAddress(url: string, allowed: readonly string[]): Promise<string | null> {
  try {
    await placeOfWebhook(new URL(url), allowed);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.userMessage;
    throw error;
  }
}

/** Refuses an address at once that nothing would ever be sent to. */
export async function addReceiver(
  ctx: Acting,
  { project, name, url, format }: AddReceiver,
): Promise<{ id: string }> {
  await placeOfWebhook(new URL(url), ctx.config.webhookAllow);
  refuseTooMany(project, await ctx.db.alertReceiver.count({ where: { project } }), "receivers");
  const { id } = await ctx.db.alertReceiver.create({
    data: { id: randomUUID(), project, name, url, format, actor: ctx.actor },
  });
  return { id };
}

export async function removeReceiver(
  ctx: Pick<Context, "db">,
  { project, id }: { project: string; id: string },
): Promise<void> {
  const { count } = await ctx.db.alertReceiver.deleteMany({ where: { id, project } });
  if (count === 0) throw noReceiver();
}

const noReceiver = () =>
  new AppError("NOT_FOUND", { userMessage: "There is no such receiver: somebody removed it." });

/** Sends a test now and says how it went. */
export async function testReceiver(
  ctx: Acting,
  { project, id }: { project: string; id: string },
): Promise<DeliveryView> {
  const receiver = await ctx.db.alertReceiver.findFirst({ where: { id, project } });
  if (!receiver) throw noReceiver();
  // Far in the future, so that nobody else takes it up meanwhile.
  const nextAt = new Date(Date.now() + 3_600_000);
  const row = await ctx.db.alertDelivery.create({
    data: { receiverId: id, event: "test", nextAt },
  });
  await deliver(ctx, { ...row, receiver, alert: null });
  const done = await ctx.db.alertDelivery.findUniqueOrThrow({ where: { id: row.id } });
  return viewDelivery(done, receiver.name);
}
