import type { CostDevice, Money } from "@liverl/contract/cost";
import type { Context } from "#context.ts";

/** What device hours cost in each of these projects; null where it has set no price. */
export async function loadPrices(
  { db }: Pick<Context, "db">,
  projects: readonly string[],
): Promise<(project: string, device: CostDevice, hours: number) => Money | null> {
  const rows = await db.projectPrice.findMany({
    where: { project: { in: [...new Set(projects)] } },
  });
  const known = new Map(rows.map((row) => [row.project, row]));
  return (project, device, hours) => {
    const row = known.get(project);
    const hour = (device === "gpu" ? row?.gpuHour : row?.cpuHour) ?? null;
    if (row === undefined || hour === null) return null;
    return { amount: hour * hours, currency: row.currency };
  };
}
