import type { SeriesBuckets } from "@liverl/contract/metric";

/** `flag`: 0 finite, 1 NaN, 2 +Inf, 3 −Inf. `wallMs`: milliseconds since the epoch. */
export type Point = { step: number; value: number | null; flag: number; wallMs: number };

/** One series in steps order. A value that is not finite is NaN here, told apart by its flag. Only the first `length` places count. */
export type SeriesColumns = {
  length: number;
  step: Float64Array;
  value: Float64Array;
  min: Float64Array;
  max: Float64Array;
  flag: Uint8Array;
  wallMs: Float64Array;
};

export function createColumns(capacity = 64): SeriesColumns {
  return {
    length: 0,
    step: new Float64Array(capacity),
    value: new Float64Array(capacity),
    min: new Float64Array(capacity),
    max: new Float64Array(capacity),
    flag: new Uint8Array(capacity),
    wallMs: new Float64Array(capacity),
  };
}

export function columnsOfBuckets(buckets: SeriesBuckets): SeriesColumns {
  const length = buckets.step.length;
  const columns = createColumns(Math.max(64, length * 2));
  columns.length = length;
  columns.step.set(buckets.step);
  columns.flag.set(buckets.flag);
  columns.wallMs.set(buckets.wallMs);
  for (let place = 0; place < length; place += 1) {
    columns.value[place] = buckets.value[place] ?? Number.NaN;
    columns.min[place] = buckets.min[place] ?? Number.NaN;
    columns.max[place] = buckets.max[place] ?? Number.NaN;
  }
  return columns;
}

/** First place whose step is ≥ `step`; `length` when there is none. */
export function placeOf(columns: SeriesColumns, step: number): number {
  let low = 0;
  let high = columns.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(columns.step, middle) < step) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The place whose step is nearest to `step`; −1 when the series is empty. */
export function nearestPlace(columns: SeriesColumns, step: number): number {
  const after = placeOf(columns, step);
  if (after === columns.length) return columns.length - 1;
  if (after === 0) return 0;
  return step - at(columns.step, after - 1) <= at(columns.step, after) - step ? after - 1 : after;
}

export function at(column: Float64Array | Uint8Array, place: number): number {
  return column[place] ?? Number.NaN;
}

function grow(columns: SeriesColumns): void {
  const bigger = columns.step.length * 2;
  for (const name of ["step", "value", "min", "max", "wallMs"] as const) {
    const wide = new Float64Array(bigger);
    wide.set(columns[name]);
    columns[name] = wide;
  }
  const flags = new Uint8Array(bigger);
  flags.set(columns.flag);
  columns.flag = flags;
}

function openPlace(columns: SeriesColumns, place: number): void {
  if (columns.length === columns.step.length) grow(columns);
  for (const name of ["step", "value", "min", "max", "wallMs", "flag"] as const) {
    columns[name].copyWithin(place + 1, place, columns.length);
  }
  columns.length += 1;
}

/**
 * Puts a live point in its bucket (`bucketSteps` wide, edges at its multiples).
 * At one step a bucket the point replaces an older one; in a wider bucket the last step draws the line and min–max widen.
 */
export function foldPoint(columns: SeriesColumns, bucketSteps: number, point: Point): void {
  const value = point.flag === 0 && point.value !== null ? point.value : Number.NaN;
  const bucket = Math.floor(point.step / bucketSteps);
  const place = placeOf(columns, bucket * bucketSteps);
  const isThere =
    place < columns.length && Math.floor(at(columns.step, place) / bucketSteps) === bucket;
  if (!isThere) openPlace(columns, place);
  const replaces = !isThere || bucketSteps === 1;
  if (replaces || point.step >= at(columns.step, place)) {
    columns.step[place] = point.step;
    columns.value[place] = value;
    columns.wallMs[place] = point.wallMs;
  }
  columns.min[place] = replaces ? value : least(at(columns.min, place), value);
  columns.max[place] = replaces ? value : most(at(columns.max, place), value);
  columns.flag[place] = replaces ? point.flag : Math.max(at(columns.flag, place), point.flag);
}

function least(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  return Number.isNaN(b) ? a : Math.min(a, b);
}

function most(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  return Number.isNaN(b) ? a : Math.max(a, b);
}

/** The last finite value of the steps in `range`, of all without one, and its step. */
export function lastFinite(
  columns: SeriesColumns,
  range: readonly [number, number] | null = null,
): { step: number; value: number } | null {
  for (let place = columns.length - 1; place >= 0; place -= 1) {
    const value = at(columns.value, place);
    const step = at(columns.step, place);
    if (range !== null && step < range[0]) return null;
    if (Number.isFinite(value) && (range === null || step <= range[1])) return { step, value };
  }
  return null;
}

/** The value at `step` or the nearest before it. */
export function valueBefore(columns: SeriesColumns, step: number): number | null {
  for (let place = placeOf(columns, step + 1) - 1; place >= 0; place -= 1) {
    const value = at(columns.value, place);
    if (Number.isFinite(value)) return value;
  }
  return null;
}
