import type { XAxis } from "@liverl/contract/metrics-view";
import {
  DAY,
  decimalsOf,
  MINUTE,
  prepareStepTicks,
  prepareTicks,
  ROUND_S,
} from "#charts/prepare-ticks.ts";
import { formatDuration } from "#ui/format-duration.ts";
import { formatCount } from "#ui/format-number.ts";

export type XTicks = { ticks: number[]; labels: string[] };

/** Room of one label, CSS pixels. */
const LABEL_PX = 62;

/** Places to print under a plot, in the axis' own unit (see {@link XAxis}), and what to print there. */
export function prepareXTicks(
  mode: XAxis,
  [first, last]: readonly [number, number],
  width: number,
): XTicks {
  if (mode === "step") {
    const ticks = prepareStepTicks(first, last, width);
    return { ticks, labels: ticks.map(String) };
  }
  if (!(last > first)) return { ticks: [], labels: [] };
  const room = Math.max(1, Math.floor(width / LABEL_PX));
  if (mode === "tokens") {
    const ticks = inside(prepareTicks(first, last, room), first, last);
    return { ticks, labels: countLabels(ticks) };
  }
  const unit = mode === "wall" ? 1_000 : 1;
  const spanS = (last - first) / unit;
  const stepS = ROUND_S.find((round) => spanS / round <= room) ?? ROUND_S.at(-1) ?? DAY;
  // Clock times are round in the time of this computer, not in UTC.
  const shift = mode === "wall" ? new Date(first).getTimezoneOffset() * MINUTE * 1_000 : 0;
  const step = stepS * unit;
  const ticks: number[] = [];
  for (let tick = Math.ceil((first - shift) / step) * step + shift; tick <= last; tick += step)
    ticks.push(tick);
  return {
    ticks,
    labels: ticks.map((tick) => (mode === "wall" ? clock(tick, stepS) : time(tick))),
  };
}

function inside(ticks: readonly number[], first: number, last: number): number[] {
  return ticks.filter((tick) => tick >= first && tick <= last);
}

/** `0`, `250k`, `1.5M`: all in the unit of the largest. */
function countLabels(ticks: readonly number[]): string[] {
  const size = Math.max(...ticks.map(Math.abs), 0);
  const [unit, name] = size >= 1e9 ? [1e9, "G"] : size >= 1e6 ? [1e6, "M"] : [1e3, "k"];
  if (size < 10_000) return ticks.map((tick) => formatCount(tick));
  const decimals = decimalsOf(ticks.map((tick) => tick / unit));
  return ticks.map((tick) => (tick === 0 ? "0" : `${(tick / unit).toFixed(decimals)}${name}`));
}

/** `90 s` is `1 m 30`; whole minutes and hours have no rest. */
function time(seconds: number): string {
  return formatDuration(seconds)
    .replace(/ 00 [ms]$/, "")
    .replace(/( \d\d) [ms]$/, "$1")
    .replace(/(\d)\.0 s$/, "$1 s");
}

function clock(ms: number, stepS: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  if (stepS >= DAY || hours === "00:00") return day;
  return stepS < MINUTE ? `${hours}:${two(date.getSeconds())}` : hours;
}
