import { setTimeout as sleep } from "node:timers/promises";
import { TERMINAL_RUN_STATUSES } from "@liverl/contract/run";
import { addDefaultRules } from "#alerts/default-rules.ts";
import { judgeAlerts } from "#alerts/judge-alerts.ts";
import type { Context } from "#context.ts";

/** Changes come in flocks, and a look costs a few queries: ingest never waits for one. */
const FLOCK_MS = 2_000;
/** A stall is told by nothing but time. */
const EVERY_MS = 15_000;
const AT_ONCE = 50;

/** Looks at the rules of runs that changed, and of all that run every few seconds, until `signal`. */
export async function watchAlerts(
  ctx: Pick<Context, "db" | "pool" | "live" | "log">,
  signal: AbortSignal,
): Promise<void> {
  const changed = new Set<string>();
  const hear = (runId: string) => changed.add(runId);
  ctx.live.on("run", hear);
  let lastMs = 0;
  while (!signal.aborted) {
    try {
      if (Date.now() - lastMs >= EVERY_MS) {
        for (const id of await living(ctx)) changed.add(id);
        lastMs = Date.now();
      }
      const runIds = [...changed].slice(0, AT_ONCE);
      for (const id of runIds) changed.delete(id);
      if (runIds.length > 0) {
        await addDefaultRules(ctx, runIds);
        await judgeAlerts(ctx, runIds);
      }
    } catch (error) {
      // The database went away: the next round looks at all runs again.
      lastMs = 0;
      if (!signal.aborted) ctx.log.debug({ err: error }, "alerts wait");
    }
    await sleep(FLOCK_MS, undefined, { signal }).catch(() => undefined);
  }
  ctx.live.off("run", hear);
}

/** Runs that go on, and those whose alerts are open: rules change and silences end. */
async function living({ db }: Pick<Context, "db">): Promise<string[]> {
  const rows = await db.run.findMany({
    where: {
      OR: [
        { status: { notIn: [...TERMINAL_RUN_STATUSES, "draft"] } },
        { alerts: { some: { resolvedAt: null } } },
      ],
    },
    select: { id: true },
  });
  return rows.map(({ id }) => id);
}
