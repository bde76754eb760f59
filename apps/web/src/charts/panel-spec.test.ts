import { expect, test } from "vitest";
import { headSeriesOf, limitOf, type PanelSpec } from "#charts/panel-spec.ts";

const invalid = { key: "rollout/invalid_ratio", label: "Invalid", color: "--c1" };
const agent = { key: "rollout/agent_error_ratio", label: "Agent error", color: "--c2" };
const panel = (series: PanelSpec["series"], headKey: string | null): PanelSpec => ({
  ...{ title: "t", why: "w", format: "percent", series, headKey },
});
const limit = { value: 0.05, side: "above", words: "warn above 5 %" } as const;

test("the value of a panel of several lines says whose it is", () => {
  expect(headSeriesOf(panel([invalid, agent], invalid.key))).toBe("Invalid");
  expect(headSeriesOf(panel([invalid, agent], "timing_s/step"))).toBeNull();
  expect(headSeriesOf(panel([invalid], invalid.key))).toBeNull();
});

test("a bound beside several lines says whose it is and tints nothing", () => {
  expect(limitOf(panel([invalid], invalid.key), limit)).toEqual(limit);
  expect(limitOf(panel([invalid, agent], invalid.key), limit)).toEqual({
    ...limit,
    words: "Invalid: warn above 5 %",
    isBare: true,
  });
  expect(limitOf(panel([invalid, agent], invalid.key), undefined)).toBeUndefined();
});
