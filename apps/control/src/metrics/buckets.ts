import type { Points } from "#metrics/chunk-points.ts";

/** Buckets of equal width in steps, by step; lists of equal length. `step`, `last` and `wallMs` are of the last point. */
export interface Buckets {
  step: number[];
  last: (number | null)[];
  min: (number | null)[];
  max: (number | null)[];
  n: number[];
  /** Worst flag in the bucket. */
  flag: number[];
  wallMs: number[];
}

export function emptyBuckets(): Buckets {
  return { step: [], last: [], min: [], max: [], n: [], flag: [], wallMs: [] };
}

/** Every point as a bucket of its own. */
export function bucketsOfPoints(points: Points): Buckets {
  return {
    step: points.step,
    last: points.value,
    min: points.value,
    max: points.value,
    n: points.step.map(() => 1),
    flag: points.flag,
    wallMs: points.wallMs,
  };
}

const lesser = (a: number | null, b: number | null) =>
  a === null ? b : b === null ? a : Math.min(a, b);
const greater = (a: number | null, b: number | null) =>
  a === null ? b : b === null ? a : Math.max(a, b);

/** Unites sorted buckets into ones of `width` steps, a power of two; edges are multiples of it. */
export function widenBuckets(fine: Buckets, width: number): Buckets {
  const wide = emptyBuckets();
  let open = Number.NaN;
  for (const [i, step] of fine.step.entries()) {
    const bucket = Math.floor(step / width);
    const at = wide.step.length - 1;
    if (bucket !== open) {
      open = bucket;
      wide.step.push(step);
      wide.last.push(fine.last[i] ?? null);
      wide.min.push(fine.min[i] ?? null);
      wide.max.push(fine.max[i] ?? null);
      wide.n.push(fine.n[i] ?? 0);
      wide.flag.push(fine.flag[i] ?? 0);
      wide.wallMs.push(fine.wallMs[i] ?? 0);
      continue;
    }
    wide.step[at] = step;
    wide.last[at] = fine.last[i] ?? null;
    wide.min[at] = lesser(wide.min[at] ?? null, fine.min[i] ?? null);
    wide.max[at] = greater(wide.max[at] ?? null, fine.max[i] ?? null);
    wide.n[at] = (wide.n[at] ?? 0) + (fine.n[i] ?? 0);
    wide.flag[at] = Math.max(wide.flag[at] ?? 0, fine.flag[i] ?? 0);
    wide.wallMs[at] = fine.wallMs[i] ?? 0;
  }
  return wide;
}

/** Replaces what `old` has in the steps [from, to) by `fresh`. Both sorted. */
export function spliceBuckets(old: Buckets, fresh: Buckets, from: number, to: number): Buckets {
  const start = old.step.findIndex((step) => step >= from);
  const head = start === -1 ? old.step.length : start;
  const after = old.step.findIndex((step) => step >= to);
  const tail = after === -1 ? old.step.length : after;
  const splice = <T>(list: T[], middle: T[]) => [
    ...list.slice(0, head),
    ...middle,
    ...list.slice(tail),
  ];
  return {
    step: splice(old.step, fresh.step),
    last: splice(old.last, fresh.last),
    min: splice(old.min, fresh.min),
    max: splice(old.max, fresh.max),
    n: splice(old.n, fresh.n),
    flag: splice(old.flag, fresh.flag),
    wallMs: splice(old.wallMs, fresh.wallMs),
  };
}

/** Narrowest power of two with at most `limit` buckets from step `lo` to step `hi`. */
export function bucketWidth(lo: number, hi: number, limit: number): number {
  let width = 1;
  while (Math.floor(hi / width) - Math.floor(lo / width) + 1 > limit) width *= 2;
  return width;
}

/** Roll-up levels that are stored: buckets of 2^level steps, 256 of them a row. */
export const ROLLUP_LEVELS = [4, 8, 12] as const;
export const ROLLUP_ROW_BUCKETS = 256;
/** A shorter series is read point by point, which is as fast. */
export const ROLLUP_FROM_STEP = 4096;
