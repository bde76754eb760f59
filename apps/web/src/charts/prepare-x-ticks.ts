import type { XAxis } from "@liverl/contract/metrics-view";
import { DAY, MINUTE, prepareStepTicks, prepareTicks, ROUND_S } from "#charts/prepare-ticks.ts";
import { formatTicks, timeTicks } from "#charts/value-format.ts";

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
    return { ticks, labels: formatTicks("count", ticks) };
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
    labels: mode === "wall" ? ticks.map((tick) => clock(tick, stepS)) : timeTicks(ticks),
  };
}

function inside(ticks: readonly number[], first: number, last: number): number[] {
  return ticks.filter((tick) => tick >= first && tick <= last);
}

function clock(ms: number, stepS: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  if (stepS >= DAY || hours === "00:00") return day;
  return stepS < MINUTE ? `${hours}:${two(date.getSeconds())}` : hours;
}
