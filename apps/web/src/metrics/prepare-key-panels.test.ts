import { expect, test } from "vitest";
import { prepareKeyPanels } from "#metrics/prepare-key-panels.ts";

test("mean, min and max of one quantity share a panel, and nothing is left out", () => {
  const panels = prepareKeyPanels(
    [
      "actor/entropy",
      "response_length/clip_ratio",
      "response_length/max",
      "response_length/mean",
      "response_length/min",
    ],
    "--c1",
  );
  expect(panels.map(({ title }) => title)).toEqual([
    "actor/entropy",
    "response_length/clip_ratio",
    "response_length/mean",
  ]);
  expect(panels[2]?.series).toMatchObject([
    { key: "response_length/mean", band: ["response_length/min", "response_length/max"] },
  ]);
});

test("quantiles are lines of the same panel, each in a colour of its own", () => {
  const leaves = ["avg", "max", "min", "tp50", "tp95", "tp99"];
  const [panel, ...more] = prepareKeyPanels(
    leaves.map((leaf) => `fully_async/processing_time/${leaf}`),
    "--c2",
  );
  expect(more).toEqual([]);
  expect(panel?.series.map(({ label }) => label)).toEqual(["avg", "tp50", "tp95", "tp99"]);
  expect(new Set(panel?.series.map(({ color }) => color)).size).toBe(4);
});

test("a search that leaves a part of the statistics shows that part alone", () => {
  const panels = prepareKeyPanels(["critic/score/max", "critic/score/min"], "--c1");
  expect(panels.map(({ title }) => title)).toEqual(["critic/score/max", "critic/score/min"]);
  expect(prepareKeyPanels(["critic/score/mean"], "--c1")[0]?.series[0]?.band).toBeUndefined();
});
