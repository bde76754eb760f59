import { Count32, Int32 } from "@liverl/contract/int32";
import { z } from "zod";
import { unequal, wallMs } from "#archives/rows/row-values.ts";
import { ROLLUP_LEVELS, ROLLUP_ROW_BUCKETS } from "#metrics/buckets.ts";
import { keyFault } from "#metrics/check-point.ts";
import { CHUNK_STEPS } from "#metrics/chunk-points.ts";
import { FLAG } from "#metrics/metric-flag.ts";

/** As PostgreSQL writes a float in JSON. */
const float = z.union([z.number(), z.literal(["NaN", "Infinity", "-Infinity"])]);

export const SeriesRow = z.object({
  id: Count32,
  run_id: z.string(),
  key: z.string().superRefine((key, ctx) => {
    const fault = keyFault(key);
    if (fault !== null) ctx.addIssue(fault);
  }),
  points: Count32,
  last_step: Int32,
  last: float.nullish(),
  last_wall: wallMs,
  rolled: z.boolean().optional(),
});

const flag = z.literal(Object.values(FLAG));
const value = float.nullable();

export const ChunkRow = z
  .object({
    series_id: Count32,
    slot: Int32,
    steps: z.array(Int32).min(1).max(CHUNK_STEPS),
    values: z.array(value),
    flags: z.array(flag),
    wall_ms: z.array(wallMs),
  })
  .superRefine(({ steps, values, flags, wall_ms, slot }, ctx) => {
    const fault =
      unequal({ steps, values, flags, wall_ms }) ??
      misplaced(steps, slot, CHUNK_STEPS) ??
      unflagged(values, flags);
    if (fault !== null) ctx.addIssue(fault);
  });

export const RollupRow = z
  .object({
    series_id: Count32,
    level: z.literal(ROLLUP_LEVELS),
    slot: Int32,
    steps: z.array(Int32).max(ROLLUP_ROW_BUCKETS),
    lasts: z.array(value),
    mins: z.array(value),
    maxs: z.array(value),
    ns: z.array(Count32.positive()),
    flags: z.array(flag),
    wall_ms: z.array(wallMs),
  })
  .superRefine(({ steps, lasts, mins, maxs, ns, flags, wall_ms, slot, level }, ctx) => {
    const fault =
      unequal({ steps, lasts, mins, maxs, ns, flags, wall_ms }) ??
      misplaced(steps, slot, 2 ** level * ROLLUP_ROW_BUCKETS) ??
      unflagged(lasts, flags);
    if (fault !== null) ctx.addIssue(fault);
  });

/** Steps of a row ascend and are all of its slot: pages read them by it. */
function misplaced(steps: readonly number[], slot: number, width: number): string | null {
  const isAscending = steps.every((step, i) => i === 0 || step > (steps[i - 1] ?? 0));
  if (!isAscending) return "steps do not ascend";
  return steps.every((step) => Math.floor(step / width) === slot)
    ? null
    : `steps are not of slot ${slot}`;
}

/** A value that is not finite says so by its flag: readers look at nothing else. */
function unflagged(values: readonly unknown[], flags: readonly number[]): string | null {
  return values.some((value, i) => typeof value === "string" && flags[i] === FLAG.finite)
    ? "a value is not finite, and its flag says that it is"
    : null;
}
