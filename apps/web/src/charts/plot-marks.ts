import type { Shown } from "#charts/plot-line.ts";
import { at, type SeriesColumns } from "#charts/series-columns.ts";

/**
 * What a line cannot show, at the edge of the plot. `nan` ✕ and `infinite` ▲ stand at the top; `above` and `below` are points
 * beyond a clipped axis, and on a log axis `below` are those of zero and less.
 */
export type PlotMark = {
  kind: "nan" | "infinite" | "above" | "below";
  /** A CSS variable. */
  color: string;
  /** First and last position on the x axis: marks that would touch are one. */
  from: number;
  to: number;
  count: number;
};

type Marked = {
  color: string;
  columns: SeriesColumns;
  /** Where each point stands on the x axis. */
  at: Float64Array;
  /** What the line shows of each, in the unit of the y axis; null where nothing can be beyond it. */
  drawn: Float64Array | null;
};

/** Marks of points that are not finite or lie beyond the ends of the y axis. `reach` is what one mark takes of the x axis. */
export function prepareMarks(
  series: readonly Marked[],
  {
    x,
    window,
    y,
    isLog,
    reach,
  }: Shown & { y: readonly [number, number]; isLog: boolean; reach: number },
): PlotMark[] {
  const found: Omit<PlotMark, "to" | "count">[] = [];
  // A rounding error is not beyond an end.
  const slack = (y[1] - y[0]) * 1e-6;
  const kindOf = (drawn: number, value: number, flag: number): PlotMark["kind"] | null => {
    if (flag > 0) return flag === 1 ? "nan" : "infinite";
    if (isLog && value <= 0) return "below";
    if (drawn > y[1] + slack) return "above";
    return drawn < y[0] - slack ? "below" : null;
  };
  for (const { color, columns, at: along, drawn } of series) {
    for (let place = 0; place < columns.length; place += 1) {
      const step = at(columns.step, place);
      const here = at(along, place);
      if (step < x[0] || step > x[1] || !Number.isFinite(here)) continue;
      if (window !== null && (here < window[0] || here > window[1])) continue;
      const value = drawn === null ? Number.NaN : at(drawn, place);
      const kind = kindOf(value, at(columns.value, place), at(columns.flag, place));
      const isBad = kind === "nan" || kind === "infinite";
      if (kind !== null) found.push({ kind, color: isBad ? "--bad-mark" : color, from: here });
    }
  }
  return joinNear(found, reach);
}

function joinNear(found: readonly Omit<PlotMark, "to" | "count">[], reach: number): PlotMark[] {
  const marks: PlotMark[] = [];
  const last = new Map<string, PlotMark>();
  for (const one of [...found].sort((a, b) => a.from - b.from)) {
    const of = `${one.kind} ${one.color}`;
    const before = last.get(of);
    if (before !== undefined && one.from - before.to < reach) {
      before.to = one.from;
      before.count += 1;
    } else {
      const mark = { ...one, to: one.from, count: 1 };
      last.set(of, mark);
      marks.push(mark);
    }
  }
  return marks;
}
