import { expect, it } from "vitest";
import { endToEndMfu } from "#metrics/follow-mfu.ts";

const of = (values: Record<string, number>) => (key: string) => values[key] ?? null;
const STEP = { "perf/mfu/actor": 0.4, "timing_s/update_actor": 30, "timing_s/step": 120 };

it("is the update's share of the step, over all GPUs of the run", () => {
  expect(endToEndMfu(of(STEP), 1)).toBeCloseTo(0.1);
  // 8 of 16 GPUs train.
  expect(endToEndMfu(of(STEP), 0.5)).toBeCloseTo(0.05);
});

it("counts a critic's update, too", () => {
  const values = { ...STEP, "perf/mfu/critic": 0.2, "timing_s/update_critic": 30 };
  expect(endToEndMfu(of(values), 1)).toBeCloseTo(0.15);
});

it("is not known where verl knows no peak, or told no times", () => {
  expect(endToEndMfu(of({ ...STEP, "perf/mfu/actor": 0 }), 1)).toBeNull();
  expect(endToEndMfu(of({ "perf/mfu/actor": 0.4, "timing_s/step": 120 }), 1)).toBeNull();
  expect(endToEndMfu(of({ "perf/mfu/actor": 0.4, "timing_s/update_actor": 3 }), 1)).toBeNull();
});
