/** Points of one series, by step; lists of equal length. */
export interface Points {
  step: number[];
  /** Null where not finite: the flag tells how. */
  value: (number | null)[];
  flag: number[];
  wallMs: number[];
  /** Journal number that brought the point. */
  seq: number[];
}

export interface Point {
  step: number;
  value: number | null;
  flag: number;
  wallMs: number;
  seq: number;
}

/** Steps of one chunk: a power of two, so that its edges are bucket edges, too. */
export const CHUNK_STEPS = 256;
export const slotOf = (step: number) => Math.floor(step / CHUNK_STEPS);

export function emptyPoints(): Points {
  return { step: [], value: [], flag: [], wallMs: [], seq: [] };
}

export function pushPoint(points: Points, point: Point): void {
  points.step.push(point.step);
  points.value.push(point.value);
  points.flag.push(point.flag);
  points.wallMs.push(point.wallMs);
  points.seq.push(point.seq);
}

/** The same points by step, one a step: of several the last that came. */
export function sortPoints(points: Points): Points {
  if (isSorted(points.step)) return points;
  const last = new Map(points.step.map((step, i) => [step, i]));
  return pick(
    points,
    [...last].sort(([a], [b]) => a - b).map(([, i]) => i),
  );
}

function isSorted(steps: readonly number[]): boolean {
  for (let i = 1; i < steps.length; i++) if ((steps[i] ?? 0) <= (steps[i - 1] ?? 0)) return false;
  return true;
}

function pick(points: Points, places: readonly number[]): Points {
  return {
    step: places.map((i) => points.step[i] ?? 0),
    value: places.map((i) => points.value[i] ?? null),
    flag: places.map((i) => points.flag[i] ?? 0),
    wallMs: places.map((i) => points.wallMs[i] ?? 0),
    seq: places.map((i) => points.seq[i] ?? 0),
  };
}

/** Sorted points, cut where a new chunk begins. */
export function splitBySlot(points: Points): { slot: number; points: Points }[] {
  const parts: { slot: number; points: Points }[] = [];
  for (let from = 0; from < points.step.length; ) {
    const slot = slotOf(points.step[from] ?? 0);
    let to = from + 1;
    while (to < points.step.length && slotOf(points.step[to] ?? 0) === slot) to++;
    parts.push({
      slot,
      points: {
        step: points.step.slice(from, to),
        value: points.value.slice(from, to),
        flag: points.flag.slice(from, to),
        wallMs: points.wallMs.slice(from, to),
        seq: points.seq.slice(from, to),
      },
    });
    from = to;
  }
  return parts;
}

/** Merges new points into sorted ones; a repeated step takes the newer value. `added` counts steps that were not there. */
export function mergePoints(old: Points, fresh: Points): { points: Points; added: number } {
  const united: Points = {
    step: old.step.concat(fresh.step),
    value: old.value.concat(fresh.value),
    flag: old.flag.concat(fresh.flag),
    wallMs: old.wallMs.concat(fresh.wallMs),
    seq: old.seq.concat(fresh.seq),
  };
  const points = sortPoints(united);
  return { points, added: points.step.length - old.step.length };
}
