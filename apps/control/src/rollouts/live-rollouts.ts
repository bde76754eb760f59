import { type LiveRollout, RolloutStage } from "@liverl/contract/live-rollout";
import type { LiveState } from "@liverl/contract/views";
import type { Rollout, RolloutLive } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { inTransaction } from "#database/in-transaction.ts";

type LiveContext = Pick<Context, "db" | "pool" | "runner">;

/** What the runner told of a rollout, with what is usual in its run. */
export interface LiveRow extends RolloutLive {
  usual: Usual | null;
  nowMs: number;
}
interface Usual {
  /** Seconds: the median, and what nine of ten stay below. */
  p50: number;
  p90: number;
}

/** Whoever looks again sooner sees the same. */
const FRESH_MS = 1_500;
/** Rollouts that last ended tell what is usual. */
const USUAL_OF = 200;
const USUAL_LEAST = 5;
const USUAL_FRESH_MS = 30_000;
const STUCK_TIMES = 5;
const STUCK_FLOOR_S = 15;
/** As long as too few rollouts have ended to tell. */
const STUCK_UNKNOWN_S = 600;

interface Looking {
  atMs: number;
  going: Promise<void> | null;
  usual: Map<string, { atMs: number; of: Promise<Map<RolloutStage, Usual>> }>;
}
const lookings = new WeakMap<Context["pool"], Looking>();

function lookingOf(pool: Context["pool"]): Looking {
  const known = lookings.get(pool) ?? {
    atMs: Number.NEGATIVE_INFINITY,
    going: null,
    usual: new Map(),
  };
  lookings.set(pool, known);
  return known;
}

/**
 * Asks the runner what its rollouts do now, where the run has any that have not ended: once for all who look, at most every other
 * second. A runner that does not answer leaves nothing known.
 */
export async function refreshLive(ctx: LiveContext, runId: string): Promise<void> {
  const looking = lookingOf(ctx.pool);
  if (Date.now() - looking.atMs < FRESH_MS) return;
  const { rows } = await ctx.pool.query(
    "SELECT 1 FROM rollout WHERE run_id = $1 AND status IN ('queued', 'running') LIMIT 1",
    [runId],
  );
  if (rows.length === 0) return;
  looking.going ??= storeLive(ctx).finally(() => {
    looking.atMs = Date.now();
    looking.going = null;
  });
  await looking.going;
}

async function storeLive({ pool, runner }: LiveContext): Promise<void> {
  const live: LiveRollout[] = await runner.liveRollouts().catch(() => []);
  await inTransaction(pool, async (client) => {
    await client.query("DELETE FROM rollout_live");
    if (live.length === 0) return;
    await client.query(
      `INSERT INTO rollout_live (rollout_id, run_id, attempt, stage, since, turns, tokens_sampled, tokens_total, last_sign_at, sandbox)
       SELECT "rolloutId", "runId", attempt, stage, since, turns, "tokensSampled", "tokensTotal", "lastSignAt", sandbox
       FROM json_to_recordset($1) AS t("rolloutId" text, "runId" text, attempt int, stage text, since timestamptz, turns int,
         "tokensSampled" int, "tokensTotal" int, "lastSignAt" timestamptz, sandbox text)
       ON CONFLICT DO NOTHING`,
      [JSON.stringify(live)],
    );
  });
}

/** What is known of those of these rollouts that have not ended. */
export async function loadLive(
  ctx: Pick<LiveContext, "db" | "pool">,
  runId: string,
  rollouts: readonly Pick<Rollout, "rolloutId" | "status" | "attempt">[],
): Promise<Map<string, LiveRow>> {
  const open = new Map(
    rollouts.flatMap(({ rolloutId, status, attempt }) =>
      status === "queued" || status === "running" ? [[rolloutId, attempt]] : [],
    ),
  );
  if (open.size === 0) return new Map();
  const rows = await ctx.db.rolloutLive.findMany({
    where: { rolloutId: { in: [...open.keys()] } },
  });
  if (rows.length === 0) return new Map();
  const usual = await loadUsual(ctx, runId);
  const nowMs = Date.now();
  return new Map(
    rows.map((row) => {
      const stage = RolloutStage.safeParse(row.stage).data;
      return [row.rolloutId, { ...row, nowMs, usual: (stage && usual.get(stage)) ?? null }];
    }),
  );
}

async function loadUsual(
  { pool }: Pick<LiveContext, "pool">,
  runId: string,
): Promise<Map<RolloutStage, Usual>> {
  const { usual } = lookingOf(pool);
  const known = usual.get(runId);
  if (known && Date.now() - known.atMs < USUAL_FRESH_MS) return known.of;
  const of = queryUsual(pool, runId);
  usual.delete(runId);
  usual.set(runId, { atMs: Date.now(), of });
  const [oldest] = usual.keys();
  if (usual.size > 100 && oldest !== undefined) usual.delete(oldest);
  of.catch(() => usual.delete(runId));
  return of;
}

const SECONDS_OF: Partial<Record<RolloutStage, string>> = {
  environment: "(timings ->> 'setupS')::float8",
  agent: "(timings ->> 'setupS')::float8",
  generate: "(timings ->> 'generateS')::float8 / GREATEST(turns, 1)",
  tool: "(timings ->> 'toolS')::float8 / GREATEST(turns, 1)",
  verify: "(timings ->> 'verifyS')::float8",
};

/** What a stage takes in the rollouts that ended last; of generation and tools, a turn. */
async function queryUsual(pool: Context["pool"], runId: string): Promise<Map<RolloutStage, Usual>> {
  const stages = Object.entries(SECONDS_OF) as [RolloutStage, string][];
  const columns = stages.map(
    ([stage, sql]) => `percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY ${sql}) AS ${stage}`,
  );
  const { rows } = await pool.query<Record<string, number[] | number | null>>(
    `SELECT count(*)::int AS n, ${columns.join(", ")} FROM (
       SELECT timings, turns FROM rollout
       WHERE run_id = $1 AND ended_at IS NOT NULL AND jsonb_typeof(timings) = 'object'
       ORDER BY ended_at DESC LIMIT ${USUAL_OF}) AS ended`,
    [runId],
  );
  const [row] = rows;
  if (!row || Number(row.n) < USUAL_LEAST) return new Map();
  return new Map(
    stages.flatMap(([stage]): [RolloutStage, Usual][] => {
      const found = row[stage];
      const [p50, p90] = Array.isArray(found) ? found : [];
      return p50 === undefined || p90 === undefined ? [] : [[stage, { p50, p90 }]];
    }),
  );
}

/** Pure. */
export function viewLive(row: LiveRow): LiveState {
  const { usual, lastSignAt } = row;
  const stage = RolloutStage.parse(row.stage);
  const idleS = lastSignAt === null ? null : (row.nowMs - lastSignAt.getTime()) / 1_000;
  const limitS = usual ? Math.max(STUCK_FLOOR_S, STUCK_TIMES * usual.p90) : STUCK_UNKNOWN_S;
  return {
    stage,
    since: row.since?.toISOString() ?? null,
    lastSignAt: lastSignAt?.toISOString() ?? null,
    usualS: usual?.p50 ?? null,
    // Those that wait for a place wait for others.
    isStuck: stage !== "queued" && idleS !== null && idleS > limitS,
    sandbox: row.sandbox,
  };
}
