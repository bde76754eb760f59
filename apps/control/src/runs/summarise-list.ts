import { isTerminal, type RunSummary } from "@liverl/contract/run";
import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { loadSpent } from "#runs/load-spent.ts";
import type { SummarisedRun } from "#runs/summarise-run.ts";
import { summariseRuns } from "#runs/summarise-runs.ts";
import { loadThresholds } from "#thresholds/load-thresholds.ts";

/** Some 4 KB each. */
const MOST_KEPT = 5_000;

interface Kept {
  /** All that the summary was made of, but for what the run cost. */
  mark: string;
  run: Pick<SummarisedRun, "summary" | "spec">;
}
/** By database, then by run; the longest unused comes first. */
const keptOf = new WeakMap<Context["pool"], Map<string, Kept>>();

/**
 * Runs as their list shows them, in the same order. Nearly all of a long list have ended: theirs is worked out once, and
 * again only when the run, its points or its project's thresholds have changed.
 */
export async function summariseList(
  ctx: Pick<Context, "db" | "pool">,
  rows: readonly Run[],
): Promise<RunSummary[]> {
  if (rows.length === 0) return [];
  const kept = keptOf.get(ctx.pool) ?? new Map<string, Kept>();
  keptOf.set(ctx.pool, kept);
  const markOf = await loadMarks(ctx, rows);
  const isKept = (row: Run) => kept.get(row.id)?.mark === markOf(row);
  const [made, spentOf] = await Promise.all([
    summariseRuns(
      ctx,
      rows.filter((row) => !isKept(row)),
    ),
    loadSpent(ctx, rows.filter(isKept), Date.now()),
  ]);
  const fresh = new Map(made.map((run) => [run.summary.id, run]));
  return rows.flatMap((row) => {
    const run = fresh.get(row.id) ?? kept.get(row.id)?.run;
    if (run === undefined) return [];
    kept.delete(row.id);
    if (isTerminal(run.summary.status))
      kept.set(row.id, { mark: markOf(row), run: { summary: run.summary, spec: run.spec } });
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return fresh.has(row.id)
      ? run.summary
      : { ...run.summary, spent: spentOf(row).spentOn(run.spec) };
  });
}

/** What tells whether a run's summary is still true. */
async function loadMarks(
  ctx: Pick<Context, "db" | "pool">,
  rows: readonly Run[],
): Promise<(row: Run) => string> {
  const projects = [...new Set(rows.map(({ project }) => project))];
  const [series, thresholdsOf] = await Promise.all([
    ctx.pool.query<{ run_id: string; points: string }>(
      `SELECT run_id, concat_ws(' ', count(*), sum(points), max(last_wall)) AS points
       FROM series WHERE run_id = ANY($1::text[]) GROUP BY run_id`,
      [rows.map(({ id }) => id)],
    ),
    loadThresholds(ctx, projects),
  ]);
  const points = new Map(series.rows.map((row) => [row.run_id, row.points]));
  const thresholds = new Map(
    projects.map((project) => [project, JSON.stringify(thresholdsOf(project))]),
  );
  const marks = new Map(
    rows.map((row) => [
      row.id,
      `${JSON.stringify(row)} ${points.get(row.id)} ${thresholds.get(row.project)}`,
    ]),
  );
  return ({ id }) => marks.get(id) ?? "";
}
