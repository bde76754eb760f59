import { prepareTicks, prepareTimeTicks } from "#charts/prepare-ticks.ts";

/** `ticks` in the axis' own unit, log10 on a log axis; `values` are what they stand for. The first and last are the axis' ends. */
export type YAxis = { ticks: number[]; values: number[] };
export type YWish = {
  low: number;
  high: number;
  isLog: boolean;
  startsAtZero?: boolean;
  /** Never above this, when no value is. */
  ceiling?: number;
  /** Seconds: ticks are round on a clock. */
  isTime?: boolean;
};

/** Decades on one axis; with more, some are left out. */
const MOST_DECADES = 4;

export function prepareYAxis(wish: YWish): YAxis {
  const ticks = wish.isLog ? logTicks(wish.low, wish.high) : linearTicks(wish);
  return { ticks, values: wish.isLog ? ticks.map((tick) => 10 ** tick) : ticks };
}

function linearTicks({ low, high, startsAtZero, ceiling, isTime }: YWish): number[] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const bottom = startsAtZero && low >= 0 ? 0 : low;
  const isFlatZero = bottom === 0 && high === 0;
  // Shares that add up to 1 may come out a hair above it.
  const reach =
    ceiling !== undefined && high <= ceiling * (1 + 1e-6) ? Math.min(high, ceiling) : high;
  const ticks = (isTime ? prepareTimeTicks : prepareTicks)(
    bottom,
    isFlatZero ? (ceiling ?? 1) : reach,
  );
  if (ceiling === undefined || reach > ceiling) return ticks;
  const below = ticks.filter((tick) => tick <= ceiling + 1e-9);
  const top = below.at(-1) ?? 0;
  return top >= reach ? below : [...below, ceiling];
}

/** `low` and `high` are log10 already. Whole decades; within one decade round values. */
function logTicks(low: number, high: number): number[] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  if (high - low < 1) {
    const ticks = prepareTicks(10 ** low, 10 ** high).filter((value) => value > 0);
    if (ticks.length > 1) return ticks.map(Math.log10);
  }
  const first = Math.floor(low + 1e-9);
  const last = Math.max(first + 1, Math.ceil(high - 1e-9));
  const every = Math.ceil((last - first) / MOST_DECADES);
  const ticks: number[] = [];
  for (let decade = first; decade < last + every; decade += every) ticks.push(decade);
  return ticks;
}
