import type { LaunchSpec } from "@liverl/contract/launch";
import { evaluationKey, METRIC_ALIASES } from "@liverl/contract/metric";
import { MetricsView, type ShippedView } from "@liverl/contract/metrics-view";

type Pin = string | { first: readonly string[] };

const OVERVIEW: readonly Pin[] = [
  { first: METRIC_ALIASES["reward/mean"] },
  "val-core",
  "group/zero_std_frac",
  { first: METRIC_ALIASES.entropy },
  "actor/grad_norm",
  { first: METRIC_ALIASES["rollout_corr/kl"] },
  "timing_s/step",
  "perf/throughput",
  "rollout/invalid_ratio",
];
const ASYNC: readonly Pin[] = [
  { first: METRIC_ALIASES["idle_ratio/trainer"] },
  { first: METRIC_ALIASES["idle_ratio/rollouter"] },
  "fully_async/partial/partial_ratio",
  "training/off_policy/trajectory_staleness/mean",
  "fully_async/count/dropped_stale_samples",
  { first: METRIC_ALIASES["rollout_corr/kl"] },
];
const LENGTHS: readonly Pin[] = [
  "response_length/mean",
  "response_length/clip_ratio",
  "distribution/response_length",
  "rollout/turns/mean",
  "distribution/turns",
  "prompt_length/mean",
];

/**
 * The views that the run's preset ships; the first is what the metrics page opens with. `keys` are what the run logs: a metric goes
 * by different names in different trainers, and an evaluation by its data source. `spec` is null for a run that is only watched.
 */
export function shippedViews(spec: LaunchSpec | null, keys: readonly string[]): ShippedView[] {
  const known = new Set(keys);
  const evaluation = evaluationKey(keys);
  const nameOf = (pin: Pin): string | null => {
    if (typeof pin === "object") return pin.first.find((key) => known.has(key)) ?? null;
    return pin === "val-core" ? evaluation : pin;
  };
  const view = (id: string, name: string, pins: readonly Pin[]): ShippedView => ({
    id,
    name,
    state: MetricsView.parse({ pins: pins.flatMap((pin) => nameOf(pin) ?? []) }),
  });
  const isAsync =
    spec === null
      ? keys.some((key) => key.startsWith("fully_async/count/"))
      : spec.algorithm.trainer_mode !== "sync";
  return [
    view("overview", "Overview", OVERVIEW),
    ...(isAsync ? [view("async", "Async health", ASYNC)] : []),
    view("lengths", "Lengths", LENGTHS),
    view("all", "All metrics", []),
  ];
}
