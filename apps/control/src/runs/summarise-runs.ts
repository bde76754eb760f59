import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { damageOf } from "#database/view-stored.ts";
import { damagedRun } from "#runs/damaged-run.ts";
import { loadSpent } from "#runs/load-spent.ts";
import { type SummarisedRun, summariseRun } from "#runs/summarise-run.ts";
import { loadThresholds } from "#thresholds/load-thresholds.ts";
import { loadSignals, NO_SIGNALS, type RunSignals } from "#verdict/load-signals.ts";
import { presentLine } from "#verdict/present-line.ts";

/** Rows of runs with what is known of them and the verdict by their projects' thresholds, in the same order. */
export async function summariseRuns(
  ctx: Pick<Context, "db" | "pool">,
  rows: readonly Run[],
  more: readonly string[] = [],
): Promise<(SummarisedRun & { known: RunSignals })[]> {
  if (rows.length === 0) return [];
  const nowMs = Date.now();
  const [signals, thresholdsOf, spentOf] = await Promise.all([
    loadSignals(
      ctx.pool,
      rows.map(({ id }) => id),
      { more },
    ),
    loadThresholds(
      ctx,
      rows.map(({ project }) => project),
    ),
    loadSpent(ctx, rows, nowMs),
  ]);
  return rows.map((row) => {
    const known = presentLine(signals.get(row.id) ?? NO_SIGNALS);
    const thresholds = thresholdsOf(row.project);
    try {
      return { ...summariseRun(row, known, { thresholds, spent: spentOf(row), nowMs }), known };
    } catch (error) {
      // One row that can not be read takes no other with it.
      const damage = damageOf(error);
      if (damage === null) throw error;
      return { ...damagedRun(row, damage), known };
    }
  });
}
