import type { Context } from "#context.ts";
import { type DiskFault, diskFaultNow, explainDiskFault } from "#disk-fault.ts";
import { whyRunnerIsDown } from "#system/why-runner-is-down.ts";

export interface SystemView {
  version: string;
  /** Absolute: programs find the operator's token there. */
  dataDir: string;
  /** Projects that have a run, by name. */
  projects: string[];
  agentUrl: string | null;
  /** `reason`: why the runner does not start, in its own words; null where it is up, or says nothing. */
  dataPlane: { runner: "up" | "down"; proxy: "up" | "down"; reason: string | null };
  /** What keeps LiveRL from writing, and what to do; null where nothing does. */
  disk: { fault: DiskFault; text: string } | null;
  database: "up" | "down";
}

/** How the parts of this LiveRL are. Answers while the database or the data plane is away. */
export async function getSystem(
  ctx: Pick<Context, "config" | "db" | "runner">,
): Promise<SystemView> {
  const { dataDir } = ctx.config;
  const [health, fault] = await Promise.all([
    ctx.runner.health().catch(() => null),
    diskFaultNow(dataDir),
  ]);
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
    dataPlane: {
      runner: health ? "up" : "down",
      proxy: health?.proxy ?? "down",
      reason: health ? null : await whyRunnerIsDown(dataDir).catch(() => null),
    },
    disk: fault === null ? null : { fault, text: explainDiskFault(fault, dataDir) },
    database: rows ? "up" : "down",
  };
}
