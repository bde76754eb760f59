import { DAY, decimalsOf, HOUR, MINUTE } from "#charts/prepare-ticks.ts";
import { formatDuration } from "#ui/format-duration.ts";
import {
  formatCount,
  formatExponent,
  formatNumber,
  formatPercent,
  formatSigned,
} from "#ui/format-number.ts";

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

/** Labels of all ticks of one axis, printed alike. */
export function formatTicks(format: ValueFormat, ticks: readonly number[]): string[] {
  const size = Math.max(...ticks.map(Math.abs), 0);
  if (format === "percent") {
    const decimals = decimalsOf(ticks.map((tick) => tick * 100));
    return ticks.map((tick) => `${minus((tick * 100).toFixed(Math.min(decimals, 2)))} %`);
  }
  if (format === "duration") return timeTicks(ticks, size);
  if (size >= 10_000) return ticks.map((tick) => formatCount(tick).replace(/\.0+(?=[kMGe])/, ""));
  if (size > 0 && size < 1e-3)
    return ticks.map((tick) => formatExponent(tick).replace(/\.0e/, "e"));
  const decimals = decimalsOf(ticks);
  return ticks.map((tick) => minus(tick.toFixed(decimals)));
}

const UNITS = [
  [DAY, "d"],
  [HOUR, "h"],
  [MINUTE, "m"],
  [1, "s"],
] as const;
/** An axis is narrow: no more of a unit than this, else the next larger one beside it. */
const MOST_OF_A_UNIT = 120;

/** One unit for all, as `0 m`, `5 m`, `10 m`; ticks that have none in common are printed each in its own. */
function timeTicks(ticks: readonly number[], size: number): string[] {
  if (size > 0 && size < 10) {
    const [factor, unit] = size < 0.1 ? [1_000, "ms"] : [1, "s"];
    const values = ticks.map((tick) => tick * factor);
    const decimals = decimalsOf(values);
    return values.map((value) => `${minus(value.toFixed(decimals))} ${unit}`);
  }
  const common = UNITS.find(([seconds]) => ticks.every((tick) => Number.isInteger(tick / seconds)));
  if (common !== undefined && (common[1] === "d" || size / common[0] <= MOST_OF_A_UNIT))
    return ticks.map((tick) => `${minus(String(tick / common[0]))} ${common[1]}`);
  return ticks.map((tick) => formatDuration(tick).replace(/ 00 [ms]$/, ""));
}

function minus(text: string): string {
  return text.startsWith("-") ? `−${text.slice(1)}` : text;
}

const PERCENT = /(ratio|frac|clipfrac)(\/|$|_)|mfu|\/acc\/|_solved/;
const DURATION = /^timing_s\/|(_s|seconds|_time)(\/(mean|min|max))?$|time_per_step/;
const COUNT = /length|tokens|seqlen|throughput|count\//;

/** How values of a metric key read, told from its name. */
export function formatOfKey(key: string): ValueFormat {
  if (PERCENT.test(key) && !/ppl_ratio/.test(key)) return "percent";
  if (DURATION.test(key)) return "duration";
  return COUNT.test(key) ? "count" : "auto";
}
