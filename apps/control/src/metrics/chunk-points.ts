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

/** Merges new points into sorted ones; a repeated step takes the newer value. `added` counts steps that were not there. */
export function mergePoints(
  old: Points,
  fresh: Iterable<Point>,
): { points: Points; added: number } {
  const byStep = new Map<number, Point>();
  for (const [i, step] of old.step.entries()) {
    byStep.set(step, {
      step,
      value: old.value[i] ?? null,
      flag: old.flag[i] ?? 0,
      wallMs: old.wallMs[i] ?? 0,
      seq: old.seq[i] ?? 0,
    });
  }
  const before = byStep.size;
  for (const point of fresh) byStep.set(point.step, point);
  const points = emptyPoints();
  for (const point of [...byStep.values()].sort((a, b) => a.step - b.step))
    pushPoint(points, point);
  return { points, added: byStep.size - before };
}
