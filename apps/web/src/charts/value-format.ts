import { DAY, decimalsOf, HOUR, MINUTE } from "#charts/prepare-ticks.ts";
import { formatDuration } from "#ui/format-duration.ts";
import { formatCount, formatNumber, formatPercent, formatSigned } from "#ui/format-number.ts";

export type ValueFormat = "auto" | "percent" | "duration" | "count";

export function formatValue(format: ValueFormat, value: number | null): string {
  if (format === "percent") return formatPercent(value);
  if (format === "duration") return formatDuration(value);
  if (format === "count")
    return value !== null && Math.abs(value) < 100 ? formatNumber(value) : formatCount(value);
  return formatNumber(value);
}

/** A change of such a value; percent changes are in points. */
export function formatDelta(format: ValueFormat, delta: number | null): string {
  if (delta === null) return "";
  if (format === "percent") {
    const points = Number((delta * 100).toFixed(1));
    return points === 0 ? "±0 pt" : formatSigned(points, (size) => `${size} pt`);
  }
  return formatSigned(delta, (size) =>
    format === "auto" && size >= 0.01 && size < 1 ? size.toFixed(2) : formatValue(format, size),
  );
}

/** Labels of all ticks of one axis, printed alike, as short as they can be and never rounded to another number. */
export function formatTicks(format: ValueFormat, ticks: readonly number[]): string[] {
  if (format === "duration") return timeTicks(ticks);
  if (format === "percent")
    return plainTicks(ticks.map((tick) => tick * 100)).map((text) => `${text} %`);
  return plainTicks(ticks);
}

const UNITS_OF_COUNT = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
] as const;

/** All in one unit: `0.25`, `15k`, `1.5M`, `2e−4`. */
function plainTicks(ticks: readonly number[]): string[] {
  const size = Math.max(...ticks.map(Math.abs), 0);
  if (size >= 1e12 || (size > 0 && size < 1e-3)) return exponentTicks(ticks, size);
  const unit = size >= 10_000 ? UNITS_OF_COUNT.find(([one]) => size >= one) : undefined;
  if (unit === undefined) return fixedTicks(ticks);
  const [one, name] = unit;
  const texts = fixedTicks(ticks.map((tick) => tick / one));
  return ticks.map((tick, at) => (tick === 0 ? "0" : `${texts[at]}${name}`));
}

function exponentTicks(ticks: readonly number[], size: number): string[] {
  const power = Math.floor(Math.log10(size) + 1e-9);
  // In two parts: the power of a denormal number has no reciprocal.
  const half = Math.trunc(power / 2);
  const texts = fixedTicks(ticks.map((tick) => tick / 10 ** half / 10 ** (power - half)));
  return ticks.map((tick, at) => (tick === 0 ? "0" : `${texts[at]}e${minus(String(power))}`));
}

function fixedTicks(ticks: readonly number[]): string[] {
  const decimals = decimalsOf(ticks);
  return ticks.map((tick) => {
    const text = tick.toFixed(decimals);
    return Number(text) === 0 ? text.replace("-", "") : minus(text);
  });
}

const UNITS = [
  [DAY, "d"],
  [HOUR, "h"],
  [MINUTE, "m"],
  [1, "s"],
] as const;
/** An axis is narrow: no more of a unit than this, else the next larger one. */
const MOST_OF_A_UNIT = 120;

/** One unit for all, as `0 m`, `5 m`, `10 m`, or `2.5 h`; ticks that have none in common are printed each in its own. */
export function timeTicks(ticks: readonly number[]): string[] {
  const size = Math.max(...ticks.map(Math.abs), 0);
  const inUnit = (seconds: number, name: string) =>
    plainTicks(ticks.map((tick) => tick / seconds)).map((text) => `${text} ${name}`);
  if (size > 0 && size < 10) return size < 0.1 ? inUnit(1e-3, "ms") : inUnit(1, "s");
  const isWhole = (seconds: number, parts: number) =>
    ticks.every((tick) => {
      const count = (tick / seconds) * parts;
      return Math.abs(count - Math.round(count)) <= 1e-9 * Math.max(1, Math.abs(count));
    });
  const common = UNITS.find(([seconds]) => isWhole(seconds, 1));
  if (common !== undefined && (common[1] === "d" || size / common[0] <= MOST_OF_A_UNIT))
    return inUnit(common[0], common[1]);
  const larger = UNITS.find(
    ([seconds]) => seconds >= HOUR && size >= seconds && isWhole(seconds, 4),
  );
  if (larger !== undefined) return inUnit(larger[0], larger[1]);
  const texts = ticks.map(inParts);
  return texts.every((text) => text !== null) ? texts : inUnit(1, "s");
}

/** `3 m 20 s`, `1 h 40 m`; null where two units do not say it all. */
function inParts(tick: number): string | null {
  const s = Math.abs(tick);
  if (!Number.isInteger(s) || s >= 2 * DAY || (s >= HOUR && s % MINUTE !== 0)) return null;
  return formatDuration(tick).replace(/ 00 [ms]$/, "");
}

function minus(text: string): string {
  return text.startsWith("-") ? `−${text.slice(1)}` : text;
}

const PERCENT = /(ratio|frac|clipfrac)(\/|$|_)|mfu|_solved/;
const DURATION = /^timing_s\/|(_s|seconds|_time)(\/(mean|min|max))?$|time_per_step/;
const COUNT = /length|tokens|seqlen|throughput|count\//;

/** How values of a metric key read, told from its name. */
export function formatOfKey(key: string): ValueFormat {
  if (PERCENT.test(key) && !/ppl_ratio/.test(key)) return "percent";
  if (DURATION.test(key)) return "duration";
  return COUNT.test(key) ? "count" : "auto";
}
