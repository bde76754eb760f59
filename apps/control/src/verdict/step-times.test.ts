import { expect, test } from "vitest";
import { emptyPoints, type Points, pushPoint } from "#metrics/chunk-points.ts";
import { usualGapS } from "#verdict/step-times.ts";

function points(gapS: (step: number) => number, value: number, count = 30): Points {
  const list = emptyPoints();
  let wallMs = 1_760_000_000_000;
  for (let step = 1; step <= count; step++) {
    wallMs += gapS(step) * 1000;
    pushPoint(list, { step, value, flag: 0, wallMs, seq: step });
  }
  return list;
}
const gapOf = (signals: Record<string, Points>) => usualGapS(new Map(Object.entries(signals)));

test("the usual gap is the median time between the points of two steps, whatever the trainer logs", () => {
  expect(gapOf({})).toBeNull();
  expect(gapOf({ reward: points(() => 90, 0.5, 1) })).toBeNull();
  expect(gapOf({ reward: points(() => 90, 0.5) })).toBe(90);
  // An evaluation every tenth step, and a night's pause.
  expect(
    gapOf({ reward: points((step) => (step === 20 ? 30_000 : step % 10 ? 90 : 600), 1) }),
  ).toBe(90);
});

test("points that came all at once have the gap of the step time that they log", () => {
  expect(gapOf({ reward: points(() => 0, 0.5), "timing_s/step": points(() => 0, 522) })).toBe(522);
  expect(gapOf({ reward: points(() => 1, 0.5), "timing_s/step": points(() => 1, 522) })).toBe(522);
});
