import { resolveThresholds, type Thresholds } from "@liverl/contract/threshold";
import type { Context } from "#context.ts";

/** The bounds by which each of these projects judges its runs. */
export async function loadThresholds(
  { db }: Pick<Context, "db">,
  projects: readonly string[],
): Promise<(project: string) => Thresholds> {
  const rows = await db.threshold.findMany({ where: { project: { in: [...new Set(projects)] } } });
  const known = new Map(
    [...new Set(projects)].map((project) => [
      project,
      resolveThresholds(rows.filter((row) => row.project === project)),
    ]),
  );
  return (project) => known.get(project) ?? resolveThresholds([]);
}
