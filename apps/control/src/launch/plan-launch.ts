import { LaunchSpec, launchFaults, type PlanLaunchResult } from "@liverl/contract/launch";
import type { Context } from "#context.ts";
import { estimateLaunch } from "#launch/estimate-launch.ts";
import { preflight } from "#launch/preflight.ts";
import { stepTimes } from "#runs/judge-run.ts";
import { loadSignals } from "#runs/load-signals.ts";
import { median } from "#runs/statistics.ts";

const EARLIER_RUNS = 5;

/** What the form's values would do: faults of shape, or the plan and what preflight says of it. Nothing is started. */
export async function planLaunch(
  ctx: Context,
  { spec }: { spec?: unknown },
): Promise<PlanLaunchResult> {
  const parsed = LaunchSpec.safeParse(spec);
  if (!parsed.success) {
    return { faults: launchFaults(parsed.error), plan: null, preflight: [] };
  }
  const plan = estimateLaunch(parsed.data, ctx.config, await typicalStepS(ctx, parsed.data));
  return { faults: [], plan, preflight: await preflight(ctx, parsed.data, plan) };
}

/** Median seconds a step of earlier runs on this machine, scaled by their batch; null before the first. */
async function typicalStepS(
  ctx: Pick<Context, "db" | "pool">,
  spec: LaunchSpec,
): Promise<number | null> {
  const rows = await ctx.db.run.findMany({
    where: { driver: "embedded", startedAt: { not: null } },
    orderBy: { createdAt: "desc" },
    take: EARLIER_RUNS,
  });
  const signals = await loadSignals(
    ctx.pool,
    rows.map((row) => row.id),
  );
  const size = (of: LaunchSpec) => of.batch.train_batch_size * of.batch.n;
  const perRollout = rows.flatMap((row) => {
    const earlier = LaunchSpec.safeParse(row.spec);
    const known = signals.get(row.id);
    const seconds = median(known ? stepTimes(known.signals) : []);
    return earlier.success && Number.isFinite(seconds) ? [seconds / size(earlier.data)] : [];
  });
  return perRollout.length === 0 ? null : median(perRollout) * size(spec);
}
