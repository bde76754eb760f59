export const MINUTE = 60;
export const HOUR = 3_600;
export const DAY = 86_400;
/** Spans of time that people count in, seconds. */
export const ROUND_S: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((m) => m * MINUTE),
  ...[1, 2, 3, 6, 12].map((h) => h * HOUR),
  ...[1, 2, 5, 10, 20, 50, 100].map((d) => d * DAY),
];

const STEPS = [1, 2, 2.5, 5, 10];

/** A span smaller than this part of its values would need labels of more than eight digits. */
const NARROWEST = 1e-7;

/** Values beyond are drawn here: what lies between two of these, and a hundred times the ticks around them, is a double still. */
export const AXIS_END = 3e304;

/** Values nearer to zero are drawn there: a part of them is a double still. */
const AXIS_NEAR_ZERO = 1e-290;

export const onAxis = (value: number) =>
  Math.abs(value) < AXIS_NEAR_ZERO ? 0 : Math.max(-AXIS_END, Math.min(AXIS_END, value));

/** Round values that cover `lowest`…`highest`, about `count` + 1 of them; the first is ≤ lowest and the last ≥ highest. */
export function prepareTicks(
  lowest: number,
  highest: number,
  count = 3,
  roundOf: (raw: number) => number = decimalRound,
): number[] {
  if (!Number.isFinite(lowest) || !Number.isFinite(highest)) return [0, 1];
  const [low, high] = [onAxis(lowest), onAxis(highest)];
  const span = high - low;
  // Narrower than labels can tell apart: one value.
  if (span <= Math.max(Math.abs(low), Math.abs(high)) * NARROWEST) {
    const half = Math.abs(low) * 0.1 || 1;
    return prepareTicks(low - half, high + half, count, roundOf);
  }
  const step = roundOf(span / count);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const ticks: number[] = [];
  for (let index = first; index <= last; index += 1)
    ticks.push(Number((index * step).toPrecision(12)));
  return ticks;
}

function decimalRound(raw: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  return (STEPS.find((factor) => factor * magnitude >= raw * 0.999) ?? 10) * magnitude;
}

/** The same of seconds, in steps of the clock: 15 s, 30 s, 1 m; fractions of a second and very many days are decimal. */
export function prepareTimeTicks(low: number, high: number, count = 3): number[] {
  return prepareTicks(low, high, count, (raw) => {
    const isClock = raw > 0.5 && raw <= (ROUND_S.at(-1) ?? 0);
    return (isClock && ROUND_S.find((round) => round >= raw * 0.999)) || decimalRound(raw);
  });
}

/** At or a little after `last`, the last of the steps from `first`: stays where it is for about a fifteenth of them. */
export function steadyEnd(first: number, last: number): number {
  const raw = (last - first) / 16;
  if (raw <= 1) return last;
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  const unit = (STEPS.find((factor) => factor * magnitude >= raw) ?? 10) * magnitude;
  const whole = Math.ceil(unit);
  return Math.ceil(last / whole) * whole;
}

/** Steps to print under a plot: both ends, and round whole steps between that keep clear of them. */
export function prepareStepTicks(first: number, last: number, width: number): number[] {
  if (last <= first) return [first];
  const room = Math.max(2, Math.floor(width / 64));
  const clear = ((last - first) * 34) / Math.max(1, width);
  const between = prepareTicks(first, last, room).filter(
    (tick) => Number.isInteger(tick) && tick > first + clear && tick < last - clear,
  );
  return [first, ...between, last];
}

const MOST_DECIMALS = 12;

/** The fewest decimals that print all ticks as they are: closer to each than a thousandth of the distance between two. */
export function decimalsOf(ticks: readonly number[]): number {
  const sorted = [...ticks].sort((a, b) => a - b);
  const gaps = sorted.slice(1).map((tick, at) => tick - (sorted[at] ?? tick));
  const gap = Math.min(...gaps.filter((one) => one > 0));
  const size = Math.max(...ticks.map(Math.abs), 0);
  const close = Number.isFinite(gap) ? gap * 1e-3 : size * 1e-6;
  for (let decimals = 0; decimals < MOST_DECIMALS; decimals += 1)
    if (ticks.every((tick) => Math.abs(Number(tick.toFixed(decimals)) - tick) <= close))
      return decimals;
  return MOST_DECIMALS;
}
