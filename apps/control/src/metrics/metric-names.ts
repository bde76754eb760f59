import { METRIC_ALIASES } from "@liverl/contract/metric";
import {
  CANONICAL_KEYS,
  CanonicalMetric,
  type MetricNameView,
  type ResetMetricName,
  type SetMetricName,
  VERL_KEY_NAMES,
} from "@liverl/contract/trainer-names";
import type { Context } from "#context.ts";
import { tellRuns } from "#runs/tell-runs.ts";

/** Canonical metrics whose names stand in {@link METRIC_ALIASES}; of the others only verl's key has some. */
const ALIASES = {
  reward: METRIC_ALIASES["reward/mean"],
  kl: METRIC_ALIASES.kl,
  entropy: METRIC_ALIASES.entropy,
  "response-length": METRIC_ALIASES["response_length/mean"],
} as const satisfies Partial<Record<CanonicalMetric, readonly string[]>>;

/** Names that LiveRL knows of a metric, best first. */
function knownNames(metric: CanonicalMetric): string[] {
  const aliases: Partial<Record<CanonicalMetric, readonly string[]>> = ALIASES;
  const names: Partial<Record<string, readonly string[]>> = VERL_KEY_NAMES;
  const verlKey = CANONICAL_KEYS[metric];
  return [...(aliases[metric] ?? [verlKey, ...(names[verlKey] ?? [])])];
}

/** Every metric that is judged by a name, with the key that the project chose for it. */
export async function listMetricNames(
  { db }: Pick<Context, "db">,
  { project }: { project: string },
): Promise<{ names: MetricNameView[] }> {
  const rows = await db.metricName.findMany({ where: { project } });
  return {
    names: CanonicalMetric.options.map((metric) => {
      const row = rows.find((one) => one.metric === metric);
      return {
        ...{ metric, key: row?.key ?? null, known: knownNames(metric) },
        actor: row?.actor ?? null,
        changedAt: row?.changedAt.toISOString() ?? null,
      };
    }),
  };
}

/** "This is my reward": runs of the project are judged by this key from now on. */
export async function setMetricName(
  ctx: Pick<Context, "db" | "live"> & { actor: string },
  { project, metric, key }: SetMetricName,
): Promise<void> {
  const row = { key, actor: ctx.actor, changedAt: new Date() };
  await ctx.db.metricName.upsert({
    where: { project_metric: { project, metric } },
    create: { project, metric, ...row },
    update: row,
  });
  await tellRuns(ctx, project);
}

/** Back to the names that LiveRL knows. */
export async function resetMetricName(
  ctx: Pick<Context, "db" | "live">,
  { project, metric }: ResetMetricName,
): Promise<void> {
  await ctx.db.metricName.deleteMany({ where: { project, metric } });
  await tellRuns(ctx, project);
}
