import { ACTIVE_RUN_STATUSES } from "@liverl/contract/run";
import type { Context } from "#context.ts";
import { summariseRuns } from "#runs/summarise-runs.ts";

/** A verdict reads a run's newest points: where runs were left open by the thousand, the newest are judged. */
const MOST_JUDGED = 200;
/** Marks change with steps, and tables ask with each letter of a filter. */
const FRESH_MS = 3_000;
/** Of the time to the next look, the most that a look may take. */
const SHARE = 0.1;
/** An answer this old is not given any more. */
const STALE_MS = 60_000;

interface Looks {
  ids: readonly string[];
  atMs: number;
  tookMs: number;
  renewal: Promise<void> | null;
}
/** Of each database. */
const known = new WeakMap<Context["pool"], Looks>();

/**
 * Ids of runs that go on with a mark that is not green. What was found a moment ago is given at once while they are looked at
 * again: no list waits for verdicts of runs that it may not even show.
 */
export async function findLooks(ctx: Pick<Context, "db" | "pool">): Promise<readonly string[]> {
  const looks = known.get(ctx.pool) ?? { ids: [], atMs: 0, tookMs: 0, renewal: null };
  known.set(ctx.pool, looks);
  const ageMs = Date.now() - looks.atMs;
  if (ageMs > Math.max(FRESH_MS, looks.tookMs / SHARE)) {
    looks.renewal ??= renew(ctx, looks).finally(() => {
      looks.renewal = null;
    });
    if (ageMs > STALE_MS) await looks.renewal;
    // Whoever asks next begins it again.
    else looks.renewal.catch(() => undefined);
  }
  return looks.ids;
}

async function renew(ctx: Pick<Context, "db" | "pool">, looks: Looks): Promise<void> {
  const beganMs = Date.now();
  const rows = await ctx.db.run.findMany({
    where: { status: { in: [...ACTIVE_RUN_STATUSES] } },
    orderBy: { createdAt: "desc" },
    take: MOST_JUDGED,
  });
  const ids = (await summariseRuns(ctx, rows)).flatMap(({ summary: { id, health } }) =>
    Object.values(health).some((mark) => mark === "warn" || mark === "bad") ? [id] : [],
  );
  const atMs = Date.now();
  Object.assign(looks, { ids, atMs, tookMs: atMs - beganMs });
}
