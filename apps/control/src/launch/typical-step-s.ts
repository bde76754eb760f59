import type { LaunchSpec } from "@liverl/contract/launch";
import type { Context } from "#context.ts";
import { settledSpec } from "#launch/effective-spec.ts";
import { promptsOfStep } from "#launch/plan-embedded.ts";
import { loadSignals } from "#verdict/load-signals.ts";
import { median } from "#verdict/statistics.ts";
import { stepTimes } from "#verdict/step-times.ts";

const EARLIER_RUNS = 5;

/**
 * Median seconds a step of earlier runs of this driver, for `rollouts` a step: time goes by rollouts. Of verl's runs only
 * those of the same model, trainer and GPUs count. Null before the first.
 */
export async function typicalStepS(
  ctx: Pick<Context, "db" | "pool">,
  spec: LaunchSpec,
  rollouts: number,
): Promise<number | null> {
  const rows = await ctx.db.run.findMany({
    where: { driver: spec.driver, startedAt: { not: null } },
    orderBy: { createdAt: "desc" },
    take: EARLIER_RUNS,
  });
  const signals = await loadSignals(
    ctx.pool,
    rows.map((row) => row.id),
  );
  const perRollout = rows.flatMap((row) => {
    const earlier = settledSpec(row.spec);
    if (earlier === null || kindOf(earlier) !== kindOf(spec)) return [];
    const known = signals.get(row.id);
    const seconds = median(known ? stepTimes(known.signals) : []);
    const { train_batch_size, n } = earlier.batch;
    const prompts = earlier.driver === "embedded" ? promptsOfStep(earlier) : train_batch_size;
    return Number.isFinite(seconds) ? [seconds / (prompts * n)] : [];
  });
  return perRollout.length === 0 ? null : median(perRollout) * rollouts;
}

function kindOf(spec: LaunchSpec): string {
  return spec.driver === "embedded"
    ? `${spec.driver} ${spec.algorithm.trainer_mode}`
    : JSON.stringify([spec.driver, spec.model.path, spec.algorithm.trainer_mode, spec.layout]);
}
