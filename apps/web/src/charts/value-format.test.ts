import { expect, test } from "vitest";
import { formatDelta, formatOfKey, formatTicks, formatValue } from "#charts/value-format.ts";

test.each([
  ["critic/rewards/mean", "auto"],
  ["rollout/invalid_ratio", "percent"],
  ["group/zero_std_frac", "percent"],
  ["val-core/liverl/repair/acc/mean@1", "auto"],
  ["actor/pg_clipfrac", "percent"],
  ["perf/mfu/actor", "percent"],
  ["timing_s/step", "duration"],
  ["rollout/verify_s/mean", "duration"],
  ["response_length/mean", "count"],
  ["response_length/clip_ratio", "percent"],
  ["rollout_corr/ppl_ratio", "auto"],
])("%s reads as %s", (key, format) => expect(formatOfKey(key)).toBe(format));

test("ticks of one axis print alike", () => {
  expect(formatTicks("auto", [0, 0.2, 0.4])).toEqual(["0.0", "0.2", "0.4"]);
  expect(formatTicks("percent", [0, 0.25, 0.5])).toEqual(["0 %", "25 %", "50 %"]);
  expect(formatTicks("auto", [2e-4, 4e-4])).toEqual(["2e−4", "4e−4"]);
  expect(formatTicks("count", [0, 15_000, 30_000])).toEqual(["0", "15k", "30k"]);
  expect(formatTicks("duration", [0, 300])).toEqual(["0 m", "5 m"]);
  expect(formatTicks("duration", [48, 200, 6000])).toEqual(["48 s", "3 m 20 s", "1 h 40 m"]);
});

test.each([
  [
    [0, 30, 60, 90],
    ["0 s", "30 s", "60 s", "90 s"],
  ],
  [
    [0, 120, 240, 360],
    ["0 m", "2 m", "4 m", "6 m"],
  ],
  [
    [0, 7200, 14_400],
    ["0 h", "2 h", "4 h"],
  ],
  [
    [0, 0.5, 1],
    ["0.0 s", "0.5 s", "1.0 s"],
  ],
  [
    [0, 0.02, 0.04],
    ["0 ms", "20 ms", "40 ms"],
  ],
  [[5], ["5 s"]],
])("seconds %j carry one unit: %j", (ticks, labels) =>
  expect(formatTicks("duration", ticks)).toEqual(labels),
);

test("percent changes are points", () => {
  expect(formatDelta("percent", -0.002)).toBe("−0.2 pt");
  expect(formatDelta("auto", 0.03)).toBe("+0.03");
  expect(formatDelta("auto", null)).toBe("");
  expect(formatValue("count", 20_123)).toBe("20.1k");
});
