import type { PriceView } from "@liverl/contract/price";
import type { Context } from "#context.ts";

const USUAL_CURRENCY = "USD";

/** What device hours cost in a project. */
export async function getPrice(
  { db }: Pick<Context, "db">,
  { project }: { project: string },
): Promise<PriceView> {
  const row = await db.projectPrice.findUnique({ where: { project } });
  return {
    gpuHour: row?.gpuHour ?? null,
    cpuHour: row?.cpuHour ?? null,
    currency: row?.currency ?? USUAL_CURRENCY,
    actor: row?.actor ?? null,
    changedAt: row?.changedAt.toISOString() ?? null,
  };
}
