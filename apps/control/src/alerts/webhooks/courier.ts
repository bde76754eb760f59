import { setTimeout as sleep } from "node:timers/promises";
import type { AlertNotice } from "@liverl/contract/alert";
import type { Alert, AlertDelivery, AlertReceiver, Run } from "@liverl/prisma/client";
import { asSlack, buildNotice, buildTestNotice } from "#alerts/webhooks/build-notice.ts";
import { postWebhook } from "#alerts/webhooks/post-webhook.ts";
import type { Context } from "#context.ts";

/** A new delivery wakes it at once; this is for those whose time comes. */
const LOOK_MS = 5_000;
const AT_ONCE = 8;
/** Before the second attempt, the third, …; after the last it is given up. */
const WAITS_S = [10, 60, 300, 1_800, 7_200];

type CourierContext = Pick<Context, "db" | "live" | "log" | "config">;
type Due = AlertDelivery & { receiver: AlertReceiver; alert: (Alert & { run: Run }) | null };

/** Sends what alerts queued, again and again until it arrives or is given up. The rows outlive a restart. */
export async function carryDeliveries(ctx: CourierContext, signal: AbortSignal): Promise<void> {
  let wake = new AbortController();
  const hear = () => wake.abort();
  ctx.live.on("delivery", hear);
  signal.addEventListener("abort", hear, { once: true });
  while (!signal.aborted) {
    wake = new AbortController();
    try {
      const due = await findDue(ctx);
      await Promise.all(due.map((one) => deliver(ctx, one)));
      if (due.length === AT_ONCE) continue;
    } catch (error) {
      // The database went away: what is queued stays queued.
      if (!signal.aborted) ctx.log.debug({ err: error }, "deliveries wait");
    }
    if (!signal.aborted)
      await sleep(LOOK_MS, undefined, { signal: wake.signal }).catch(() => undefined);
  }
  ctx.live.off("delivery", hear);
}

function findDue({ db }: Pick<Context, "db">): Promise<Due[]> {
  return db.alertDelivery.findMany({
    where: { status: "queued", nextAt: { lte: new Date() } },
    orderBy: { id: "asc" },
    take: AT_ONCE,
    include: { receiver: true, alert: { include: { run: true } } },
  });
}

/** One attempt, and its outcome in the row. */
export async function deliver(ctx: CourierContext, due: Due): Promise<void> {
  const { receiver } = due;
  const notice = noticeOf(ctx, due);
  const posted = await postWebhook(
    receiver.url,
    receiver.format === "slack" ? asSlack(notice) : notice,
    { allowed: ctx.config.webhookAllow },
  );
  const attempts = due.attempts + 1;
  if (posted.isDelivered) {
    const data = { status: "delivered", attempts, error: null, deliveredAt: new Date() };
    await ctx.db.alertDelivery.updateMany({ where: { id: due.id }, data });
    return;
  }
  // Whoever tests waits for the answer: it is not tried again behind their back.
  const waitS = posted.isFinal || due.event === "test" ? undefined : WAITS_S[due.attempts];
  ctx.log.warn(
    { receiver: receiver.name, event: due.event, attempts, error: posted.error },
    waitS === undefined ? "an alert was not delivered" : "an alert is delivered later",
  );
  await ctx.db.alertDelivery.updateMany({
    where: { id: due.id },
    data: {
      attempts,
      error: posted.error,
      ...(waitS === undefined
        ? { status: "failed" }
        : { nextAt: new Date(Date.now() + waitS * 1_000) }),
    },
  });
}

function noticeOf(
  { config }: Pick<Context, "config">,
  { event, alert, receiver }: Due,
): AlertNotice {
  if (!alert) return buildTestNotice(receiver.project, config);
  return buildNotice(event === "resolved" ? "resolved" : "fired", alert, alert.run, config);
}
