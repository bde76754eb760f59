import { resolveThresholds, ThresholdId, type ThresholdView } from "@liverl/contract/threshold";
import type { Context } from "#context.ts";

/** Every threshold as the project has it, in the order of the contract's table. */
export async function listThresholds(
  { db }: Pick<Context, "db">,
  { project }: { project: string },
): Promise<{ thresholds: ThresholdView[] }> {
  const rows = await db.threshold.findMany({ where: { project } });
  const bounds = resolveThresholds(rows);
  return {
    thresholds: ThresholdId.options.map((id) => {
      const row = rows.find((one) => one.id === id);
      return {
        ...{ id, ...bounds[id] },
        isChanged: row !== undefined,
        actor: row?.actor ?? null,
        changedAt: row?.changedAt.toISOString() ?? null,
      };
    }),
  };
}
