import type { TokensBySteps } from "@liverl/contract/metric";
import type { XAxis } from "@liverl/contract/metrics-view";
import { at, placeOf, type SeriesColumns } from "#charts/series-columns.ts";

/** What the x axis counts, and what it takes to place a step on it. */
export type XScale = {
  mode: XAxis;
  /** Wall time of the run's first point, milliseconds since 1970: where `relative` begins. */
  originMs: number;
  /** Null where they are not known: nothing can be placed then. */
  tokens: TokensBySteps | null;
  /** A series of the run that tells when steps were. */
  clock: SeriesColumns | null;
};

export const BY_STEP: XScale = { mode: "step", originMs: 0, tokens: null, clock: null };

/** Where each point stands: a step, milliseconds since 1970, seconds, or tokens; NaN where that is not known. */
export function positionsOf(columns: SeriesColumns, scale: XScale): Float64Array {
  switch (scale.mode) {
    case "step":
      return columns.step;
    case "wall":
      return columns.wallMs;
    case "relative":
      return columns.wallMs.map((wallMs) => (wallMs - scale.originMs) / 1000);
    case "tokens":
      return columns.step.map((step, place) =>
        place < columns.length ? tokensAt(step, scale) : 0,
      );
  }
}

/** Where a step stands that need not have a point. */
export function positionOfStep(step: number, scale: XScale): number {
  if (scale.mode === "step") return step;
  if (scale.mode === "tokens") return tokensAt(step, scale);
  const wallMs = scale.clock === null ? Number.NaN : wallAt(step, scale.clock);
  return scale.mode === "wall" ? wallMs : (wallMs - scale.originMs) / 1000;
}

/** Between two known steps it is straight; before the first nothing was trained on, after the last it is not known. */
function tokensAt(step: number, { tokens }: XScale): number {
  if (tokens === null || tokens.step.length === 0) return Number.NaN;
  let low = 0;
  let high = tokens.step.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tokens.step[middle] ?? 0) < step) low = middle + 1;
    else high = middle;
  }
  const after = tokens.step[low];
  if (after === undefined) return Number.NaN;
  const total = tokens.total[low] ?? 0;
  const before = low === 0 ? null : tokens.step[low - 1];
  if (before === null || before === undefined) return after === step ? total : 0;
  const from = tokens.total[low - 1] ?? 0;
  return from + ((step - before) / (after - before)) * (total - from);
}

function wallAt(step: number, clock: SeriesColumns): number {
  if (clock.length === 0) return Number.NaN;
  const after = placeOf(clock, step);
  if (after === 0) return at(clock.wallMs, 0);
  if (after === clock.length) return at(clock.wallMs, clock.length - 1);
  const [a, b] = [at(clock.step, after - 1), at(clock.step, after)];
  const [from, to] = [at(clock.wallMs, after - 1), at(clock.wallMs, after)];
  return from + ((step - a) / (b - a)) * (to - from);
}
