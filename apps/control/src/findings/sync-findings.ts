import { isTerminal, RunStatus } from "@liverl/contract/run";
import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import {
  type FindingState,
  findingsOf,
  NO_FINDINGS,
  type RunHistory,
  replayFindings,
} from "#findings/replay-findings.ts";
import { storeFindings } from "#findings/store-findings.ts";
import { settledSpec } from "#launch/effective-spec.ts";
import type { FoldedPoints } from "#live/live.ts";
import { CHUNK_STEPS } from "#metrics/chunk-points.ts";
import type { Resumption } from "#metrics/is-on-line.ts";
import { judgedAs } from "#runs/summarise-run.ts";
import { loadThresholds } from "#thresholds/load-thresholds.ts";
import { loadSignals, NEWEST_CHUNKS } from "#verdict/load-signals.ts";
import { presentLine } from "#verdict/present-line.ts";

export type FindingContext = Pick<Context, "db" | "pool" | "live">;

/** Number of newest steps that may still get points: series of a step's rollouts are computed once all of them ended. */
const SETTLE_STEPS = 10;
/** A point that comes late is judged anew from the newest state before it. */
const KEEP_EVERY_STEPS = 64;
const MAX_RUNS = 200;
/** A run that ended so long before it was judged is history. */
const HISTORY_MS = 3_600_000;

interface Kept {
  rules: string;
  /** By step. */
  states: FindingState[];
}
interface Keeper {
  kept: Map<string, Kept>;
  /** One replay a run at a time. */
  going: Map<string, Promise<void>>;
}
const keepers = new WeakMap<Context["live"], Keeper>();

function keeperOf(live: Context["live"]): Keeper {
  const known = keepers.get(live);
  if (known) return known;
  const keeper: Keeper = { kept: new Map(), going: new Map() };
  live.on("points", ({ runId, series }) => {
    const kept = keeper.kept.get(runId);
    if (kept) kept.states = kept.states.filter(({ step }) => step < firstStepOf(series));
  });
  keepers.set(live, keeper);
  return keeper;
}

function firstStepOf(series: FoldedPoints["series"]): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { step } of series.values()) for (const one of step) first = Math.min(first, one);
  return first;
}

/** Brings what is stored of a run's findings up to its newest step. Does nothing where it is. */
export async function syncFindings(ctx: FindingContext, run: Run): Promise<void> {
  const { going } = keeperOf(ctx.live);
  const before = going.get(run.id) ?? Promise.resolve();
  const now = before.catch(() => undefined).then(() => syncOne(ctx, run));
  going.set(run.id, now);
  try {
    await now;
  } finally {
    if (going.get(run.id) === now) going.delete(run.id);
  }
}

/** Judges the steps that came while control was away, newest runs first. For the start of control. */
export async function catchUpAllRuns(
  ctx: FindingContext & Pick<Context, "log">,
  signal: AbortSignal,
): Promise<void> {
  const runs = await ctx.db.run
    .findMany({ where: { status: { not: "draft" } }, orderBy: { createdAt: "desc" } })
    .catch(() => []);
  for (const run of runs) {
    if (signal.aborted) return;
    await syncFindings(ctx, run).catch((error: unknown) =>
      ctx.log.warn({ err: error, runId: run.id }, "findings wait"),
    );
  }
}

/** The same where much is new, as when many steps came at once: the rest is left to the watch of alerts, which comes soon. */
export async function catchUpFindings(ctx: FindingContext, run: Run): Promise<void> {
  const [stored, series] = await Promise.all([
    ctx.db.findingState.findUnique({ where: { runId: run.id } }),
    ctx.db.series.aggregate({ where: { runId: run.id }, _max: { lastStep: true } }),
  ]);
  const newest = series._max.lastStep;
  if (newest !== null && newest - (stored?.step ?? Number.NEGATIVE_INFINITY) >= SETTLE_STEPS)
    await syncFindings(ctx, run);
}

async function syncOne(ctx: FindingContext, run: Run): Promise<void> {
  const [points, resumes, thresholdsOf, stored] = await Promise.all([
    loadPointsMark(ctx, run.id),
    loadResumptions(ctx, run.id),
    loadThresholds(ctx, [run.project]),
    ctx.db.findingState.findUnique({ where: { runId: run.id } }),
  ]);
  if (points === null && stored === null) return;
  const judged = { ...judgedAs(run, settledSpec(run.spec)), thresholds: thresholdsOf(run.project) };
  const bounds = JSON.stringify(judged);
  // Every resume has the steps replayed; of attached runs what came before is gone from the points themselves.
  const rules = `${bounds}${JSON.stringify(resumes)}`;
  const resumptions = resumes.flatMap(({ isSetAside, ...one }) => (isSetAside ? [] : [one]));
  const status = RunStatus.parse(run.status);
  const mark = `${points ?? ""}${isTerminal(status) ? " ended" : ""}`;
  if (stored?.points === mark && stored.rules === rules) return;
  const state = await replay(ctx, run.id, { resumptions, judgedAs: judged }, rules);
  const isHistory =
    run.importedAt !== null ||
    (isTerminal(status) && run.endedAt !== null && Date.now() - run.endedAt.getTime() > HISTORY_MS);
  const isRejudged = stored !== null && !stored.rules.startsWith(bounds);
  await storeFindings(ctx, run.id, {
    findings: findingsOf(state),
    newestStep: isTerminal(status) ? Number.POSITIVE_INFINITY : state.step,
    quietTo: isHistory ? Number.POSITIVE_INFINITY : isRejudged ? stored.step : null,
  });
  const row = { step: Number.isFinite(state.step) ? state.step : 0, points: mark, rules };
  await ctx.db.findingState.upsert({
    where: { runId: run.id },
    create: { runId: run.id, ...row },
    update: row,
  });
}

async function replay(
  ctx: FindingContext,
  runId: string,
  known: Omit<RunHistory, "signals">,
  rules: string,
): Promise<FindingState> {
  const { kept } = keeperOf(ctx.live);
  const own = kept.get(runId);
  const mine: Kept = own?.rules === rules ? own : { rules, states: [] };
  kept.delete(runId);
  kept.set(runId, mine);
  const [oldest] = kept.keys();
  if (kept.size > MAX_RUNS && oldest !== undefined) kept.delete(oldest);
  const from = mine.states.at(-1) ?? NO_FINDINGS;
  const fromStep = Math.max(LOWEST_STEP, from.step - CHUNK_STEPS * (NEWEST_CHUNKS - 1));
  const loaded = (await loadSignals(ctx.pool, [runId], { fromStep })).get(runId);
  if (!loaded) return NO_FINDINGS;
  const passed: FindingState[] = [];
  const { signals, names } = presentLine(loaded);
  const state = await replayFindings({ ...known, signals, names }, from, (one) => passed.push(one));
  const settled = passed.filter(({ step }) => step <= state.step - SETTLE_STEPS);
  mine.states = newestOfEach([...mine.states, ...settled]);
  return state;
}

/** The newest state of every few steps. */
function newestOfEach(states: readonly FindingState[]): FindingState[] {
  const part = (state: FindingState) => Math.floor(state.step / KEEP_EVERY_STEPS);
  return states.filter((state, i) => {
    const next = states[i + 1];
    return next === undefined || part(next) !== part(state);
  });
}

const LOWEST_STEP = -(2 ** 31);

/** Changes whenever a point comes; null before the first. */
async function loadPointsMark({ pool }: FindingContext, runId: string): Promise<string | null> {
  const { rows } = await pool.query<{ mark: string; n: number }>(
    `SELECT concat_ws(' ', count(*), sum(points), max(last_wall), max(last_step)) AS mark, count(*)::int AS n
     FROM series WHERE run_id = $1`,
    [runId],
  );
  return rows[0] && rows[0].n > 0 ? rows[0].mark : null;
}

async function loadResumptions(
  { db }: FindingContext,
  runId: string,
): Promise<(Resumption & { isSetAside: boolean })[]> {
  const rows = await db.runEvent.findMany({
    where: { runId, kind: "resume", step: { not: null } },
    orderBy: [{ at: "asc" }, { id: "asc" }],
    select: { at: true, step: true, actor: true },
  });
  return rows.flatMap(({ at, step, actor }) =>
    step === null
      ? []
      : [{ sinceMs: at.getTime(), fromStep: step, isSetAside: actor === "ingest" }],
  );
}
