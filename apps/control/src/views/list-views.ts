import { type ListViews, MetricsView, type SavedView } from "@liverl/contract/metrics-view";
import type { SavedView as SavedViewRow } from "@liverl/prisma/client";
import { z } from "zod";
import type { Context } from "#context.ts";
import { settledSpec } from "#launch/effective-spec.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { shippedViews } from "#views/shipped-views.ts";

/** A state of an older or newer LiveRL: what it lacks is as usual, what is not known here is left out. */
const StoredState = z.object(MetricsView.shape);

/** Views of the metrics page: those of the run's preset, then those that people saved, by name. */
export async function listViews(ctx: Pick<Context, "db">, { project, runId }: ListViews) {
  const [run, series, rows] = await Promise.all([
    getRunRow(ctx, runId),
    ctx.db.series.findMany({ where: { runId }, select: { key: true } }),
    ctx.db.savedView.findMany({ where: { project }, orderBy: { name: "asc" } }),
  ]);
  const keys = series.map(({ key }) => key);
  return { shipped: shippedViews(settledSpec(run.spec), keys), saved: rows.map(viewOf) };
}

export function viewOf(row: SavedViewRow): SavedView {
  const { id, name, author, state, updatedAt } = row;
  return { id, name, author, state: StoredState.parse(state), updatedAt: updatedAt.toISOString() };
}
