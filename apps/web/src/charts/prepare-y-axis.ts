import { AXIS_END, prepareTicks, prepareTimeTicks, ROUND_S } from "#charts/prepare-ticks.ts";

/** In the axis' own unit, log10 on a log axis. */
export type YAxis = {
  ends: readonly [number, number];
  ticks: number[];
  /** What the ticks stand for. */
  values: number[];
  /** Ticks at equal distances are printed alike; others each with its own digits. */
  isEven: boolean;
};
export type YWish = {
  /** The lowest and highest value to show; of a log axis log10 of them. */
  low: number;
  high: number;
  isLog: boolean;
  startsAtZero?: boolean;
  /** Never above this, when no value is. */
  ceiling?: number;
  /** Seconds: ticks are round on a clock. */
  isTime?: boolean;
  /** About how many intervals there is room for. */
  count?: number;
};

const COUNT = 3;

/** An axis that always covers `low`…`high`. */
export function prepareYAxis(wish: YWish): YAxis {
  if (!Number.isFinite(wish.low) || !Number.isFinite(wish.high))
    return axisOf([0, 1], wish.isLog, true);
  return wish.isLog ? logAxis(wish) : axisOf(linearTicks(wish), false, true);
}

/** `ticks` in the axis' own unit; the first and the last are its ends. */
function axisOf(ticks: number[], isLog: boolean, isEven: boolean): YAxis {
  return {
    ends: [ticks[0] ?? 0, ticks.at(-1) ?? 1],
    ticks,
    values: isLog ? ticks.map((tick) => 10 ** tick) : ticks,
    isEven,
  };
}

function linearTicks({ low, high, startsAtZero, ceiling, isTime, count = COUNT }: YWish): number[] {
  const bottom = startsAtZero && low >= 0 ? 0 : low;
  const isFlatZero = bottom === 0 && high === 0;
  // Shares that add up to 1 may come out a hair above it.
  const reach =
    ceiling !== undefined && high <= ceiling * (1 + 1e-6) ? Math.min(high, ceiling) : high;
  const ticks = (isTime ? prepareTimeTicks : prepareTicks)(
    bottom,
    isFlatZero ? (ceiling ?? 1) : reach,
    count,
  );
  return ceiling === undefined || reach > ceiling ? ticks : capped(ticks, reach, ceiling);
}

/** Ticks up to the ceiling. */
function capped(ticks: readonly number[], reach: number, ceiling: number): number[] {
  if ((ticks.at(-1) ?? 0) <= ceiling) return [...ticks];
  const below = ticks.filter((tick) => tick <= ceiling + 1e-9);
  const top = below.at(-1) ?? 0;
  if (top >= reach) return below;
  // A tick just below the ceiling would lie under its label.
  const isNear = below.length > 1 && ceiling - top < (top - (below.at(-2) ?? 0)) / 2;
  return [...(isNear ? below.slice(0, -1) : below), ceiling];
}

/** A range of less than this ratio has linear ticks, which are all above zero. */
const NARROW = Math.log10(2.2);
const MOST_DECADES = 280;

function logAxis({ low, high, isTime = false, ceiling, count = COUNT }: YWish): YAxis {
  // Beyond, doubles have no room for round values.
  if (Math.max(Math.abs(low), Math.abs(high)) > MOST_DECADES) return decades(low, high, count);
  if (high - low < NARROW) {
    const [least, most] = [10 ** low, 10 ** high];
    const round = (isTime ? prepareTimeTicks : prepareTicks)(least, most, count);
    const ticks = ceiling === undefined || most > ceiling ? round : capped(round, most, ceiling);
    if ((ticks[0] ?? 0) > 0 && ticks.length > 1) {
      const values = ticks.map(Math.log10);
      return { ...axisOf(values, true, true), values: ticks };
    }
  }
  const candidates = isTime
    ? [clockRounds(low, high), decimalRounds(low, high, FEW)]
    : [decimalRounds(low, high, MANY), decimalRounds(low, high, FEW)];
  for (const rounds of candidates) {
    const ticks = covering(rounds, low, high);
    if (ticks.length > 1 && ticks.length <= count + 2) {
      const values = ticks.map((tick) => Number((10 ** tick).toPrecision(12)));
      return { ...axisOf(ticks, true, false), values };
    }
  }
  return decades(low, high, count);
}

/** Whole decades around the values, of which as many carry a tick as have room. */
function decades(low: number, high: number, count: number): YAxis {
  const first = Math.floor(low + 1e-9);
  const last = Math.max(first + 1, Math.ceil(high - 1e-9));
  const every = Math.ceil((last - first) / (count + 1));
  const ticks: number[] = [];
  for (let decade = first; decade <= last; decade += every)
    if (10 ** decade > 0 && 10 ** decade <= AXIS_END) ticks.push(decade);
  return { ...axisOf(ticks, true, false), ends: [first, last] };
}

const FEW = [1, 2, 5].map(Math.log10);
const MANY = [1, 1.5, 2, 3, 5, 7].map(Math.log10);

/** log10 of 1, 2, 5, 10, 20 and so on, from below `low` to above `high`. */
function decimalRounds(low: number, high: number, factors: readonly number[]): number[] {
  const rounds: number[] = [];
  for (
    let decade = Math.floor(low) - 1;
    decade <= Math.ceil(high) + 1 && rounds.length < 100;
    decade += 1
  )
    for (const factor of factors) rounds.push(decade + factor);
  return rounds;
}

/** The same of seconds, where they are round on a clock. */
function clockRounds(low: number, high: number): number[] {
  const rounds = ROUND_S.map(Math.log10);
  return low >= (rounds[0] ?? 0) && high <= (rounds.at(-1) ?? 0) ? rounds : [];
}

/** Those of `rounds` that cover `low`…`high`, with one at or beyond each end. */
function covering(rounds: readonly number[], low: number, high: number): number[] {
  const first = rounds.findLastIndex((round) => round <= low + 1e-9);
  const last = rounds.findIndex((round) => round >= high - 1e-9);
  return first < 0 || last < 0 ? [] : rounds.slice(first, Math.max(last, first + 1) + 1);
}
