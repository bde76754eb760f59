import { THRESHOLDS, type ThresholdView } from "@liverl/contract/threshold";
import type { PaintLimit } from "#charts/paint-plot.ts";
import { formatOfKey, formatValue } from "#charts/value-format.ts";

/** Bounds that are judged on GPUs alone, as the verdict has it. */
const OF_GPUS: ReadonlySet<ThresholdView["id"]> = new Set(["mfu"] as const);

/** Metric → the first bound of its threshold. Of two for one metric (highest and lowest) the upper one is drawn. */
export function prepareLimits(
  thresholds: readonly ThresholdView[],
  { hasGpus = true }: { hasGpus?: boolean } = {},
): Map<string, PaintLimit> {
  const limits = new Map<string, PaintLimit>();
  for (const { id, warn, bad } of thresholds) {
    const { metric, isLevel, side } = THRESHOLDS[id];
    const value = warn ?? bad;
    if (!hasGpus && OF_GPUS.has(id)) continue;
    if (!isLevel || value === null || limits.has(metric)) continue;
    limits.set(metric, {
      value,
      side,
      words: `${warn === null ? "alarm" : "warn"} ${side} ${formatValue(formatOfKey(metric), value)}`,
    });
  }
  return limits;
}
