import { DEFAULT_THRESHOLDS, ThresholdId, type ThresholdView } from "@liverl/contract/threshold";
import { expect, test } from "vitest";
import { ASPECTS, parseBound, rowsOfAspect } from "#settings/prepare-thresholds.ts";

const all: ThresholdView[] = ThresholdId.options.map((id) => ({
  ...{ id, ...DEFAULT_THRESHOLDS[id] },
  ...{ isChanged: false, actor: null, changedAt: null },
}));

test("every threshold stands under one aspect, with its source", () => {
  const rows = ASPECTS.flatMap(({ id }) => rowsOfAspect(all, id));
  expect(rows.map(({ id }) => id).sort()).toEqual([...ThresholdId.options].sort());
  expect(rows.filter(({ source }) => source === "")).toEqual([]);
  expect(rows.find(({ id }) => id === "probs-diff")).toMatchObject({ usual: "0.005 and 0.01" });
});

test.each([
  ["", null],
  [" 0.05 ", 0.05],
  ["0,05", 0.05],
  ["5e-3", 0.005],
  ["five", undefined],
  ["5 %", undefined],
])("%j is %s", (text, value) => {
  expect(parseBound(text)).toBe(value);
});
