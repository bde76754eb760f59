import type { Context } from "#context.ts";

export interface SystemView {
  version: string;
  /** Absolute: programs find the operator's token there. */
  dataDir: string;
  /** Projects that have a run, by name. */
  projects: string[];
  agentUrl: string | null;
  dataPlane: { runner: "up" | "down"; proxy: "up" | "down" };
  database: "up" | "down";
}

/** How the parts of this LiveRL are. Answers while the database or the data plane is away. */
export async function getSystem(
  ctx: Pick<Context, "config" | "db" | "runner">,
): Promise<SystemView> {
  const health = await ctx.runner.health().catch(() => null);
  const rows = await ctx.db.run
    .findMany({
      where: { status: { not: "draft" } },
      distinct: ["project"],
      select: { project: true },
      orderBy: { project: "asc" },
    })
    .catch(() => null);
  return {
    version: ctx.config.version,
    dataDir: ctx.config.dataDir,
    projects: rows?.map((row) => row.project) ?? [],
    agentUrl: health?.agentUrl ?? null,
    dataPlane: { runner: health ? "up" : "down", proxy: health?.proxy ?? "down" },
    database: rows ? "up" : "down",
  };
}
