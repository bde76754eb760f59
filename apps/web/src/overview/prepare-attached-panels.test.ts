import { expect, test } from "vitest";
import { prepareAttachedPanels } from "#overview/prepare-attached-panels.ts";

const titles = (panels: readonly { title: string }[]) => panels.map(({ title }) => title);

test("a foreign run has the panels of its own keys, what is looked at first before the others", () => {
  const known = new Set([
    "train/loss",
    "eval/accuracy",
    "misc/steps",
    "system/cpu",
    "episode_return",
  ]);
  const { columns, own } = prepareAttachedPanels(known, "--c1");
  expect(columns.map(({ panels }) => titles(panels))).toEqual([["eval/accuracy"]]);
  expect(titles(own)).toEqual(["episode_return", "train/loss", "misc/steps"]);
});

test("a run of verl has the four questions, and no panel that waits", () => {
  const known = new Set([
    ...["critic/rewards/mean", "actor/entropy", "timing_s/step", "response_length/mean"],
    ...["actor/grad_norm", "custom/thing"],
  ]);
  const { columns, own } = prepareAttachedPanels(known, "--c1");
  expect(columns.map(({ id }) => id)).toEqual(["progress", "stability", "performance", "failures"]);
  for (const panel of columns.flatMap(({ panels }) => panels))
    expect(panel.series.every(({ key }) => known.has(key))).toBe(true);
  expect(own).toEqual([]);
});
