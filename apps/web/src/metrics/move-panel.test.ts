import { MetricsView } from "@liverl/contract/metrics-view";
import { expect, test } from "vitest";
import { movePanel, stepPanel, togglePin } from "#metrics/move-panel.ts";
import { type LayoutWish, PINNED, prepareLayout, titleOf } from "#metrics/prepare-layout.ts";

const keys = ["actor/a", "actor/b", "actor/c", "actor/d", "critic/x", "loss"];
const wish: LayoutWish = { keys, rollouts: null, color: "--c1", search: "", pins: [], order: [] };
const layout = (change: Partial<LayoutWish> = {}) => prepareLayout({ ...wish, ...change });
const shown = (change: Partial<LayoutWish> = {}) =>
  Object.fromEntries(layout(change).map(({ id, panels }) => [id, panels.map(titleOf)]));
const view = (change: Partial<MetricsView> = {}) => MetricsView.parse(change);

test("pinned panels stand first in their own order and nowhere else; a pin of nothing is not shown", () => {
  const groups = shown({ pins: ["loss", "nothing", "actor/b"] });
  expect(groups[PINNED]).toEqual(["loss", "actor/b"]);
  expect(groups.actor).toEqual(["actor/a", "actor/c", "actor/d"]);
  expect(groups).not.toHaveProperty("other");
});

test("a search narrows the pinned ones too", () => {
  expect(shown({ pins: ["loss", "actor/b"], search: "^actor" })).toEqual({
    [PINNED]: ["actor/b"],
    actor: ["actor/a", "actor/c", "actor/d"],
  });
});

test("a move inside a section keeps no more than it needs to", () => {
  const change = movePanel(layout(), view(), { title: "actor/c", to: "actor", before: "actor/a" });
  expect(change).toEqual({ order: ["actor/c"] });
  expect(shown({ order: change?.order ?? [] }).actor).toEqual([
    "actor/c",
    "actor/a",
    "actor/b",
    "actor/d",
  ]);
  // And back again: nothing is left.
  const order = ["actor/c"];
  const back = { title: "actor/c", to: "actor", before: "actor/d" };
  expect(movePanel(layout({ order }), view({ order }), back)).toEqual({ order: [] });
});

test("a panel goes to the pinned ones and back, but never into another section", () => {
  const pin = movePanel(layout(), view({ pins: ["loss"] }), {
    ...{ title: "critic/x", to: PINNED, before: "loss" },
  });
  expect(pin).toEqual({ pins: ["critic/x", "loss"] });
  const pinned = view({ pins: ["critic/x"] });
  const groups = layout({ pins: pinned.pins });
  expect(movePanel(groups, pinned, { title: "critic/x", to: "actor", before: null })).toBeNull();
  expect(
    movePanel(groups, pinned, { title: "critic/x", to: "critic", before: null }),
  ).toMatchObject({
    pins: [],
  });
  expect(movePanel(groups, view(), { title: "loss", to: "actor", before: null })).toBeNull();
});

test("the keyboard moves by one place and stops at the ends", () => {
  const moved = stepPanel(layout(), view(), "actor/a", 1);
  expect(shown({ order: moved?.order ?? [] }).actor?.slice(0, 2)).toEqual(["actor/b", "actor/a"]);
  expect(stepPanel(layout(), view(), "actor/a", -1)).toBeNull();
  expect(stepPanel(layout(), view(), "actor/d", 1)).toBeNull();
  const pins = ["loss", "critic/x"];
  expect(stepPanel(layout({ pins }), view({ pins }), "critic/x", -1)).toEqual({
    pins: ["critic/x", "loss"],
  });
});

test("distributions of the rollouts are a section, unless the trainer logs such a key itself", () => {
  const rollouts = { runId: "r", quantities: ["reward", "turns"] as const };
  expect(shown({ rollouts }).distribution).toEqual(["distribution/reward", "distribution/turns"]);
  const own = layout({ rollouts, keys: ["distribution/reward"] })[0];
  expect(own?.panels.map(({ kind }) => kind)).toEqual(["metric", "distribution"]);
});

test("a pin is set and taken back", () => {
  expect(togglePin(togglePin(["a"], "b"), "a")).toEqual(["b"]);
});
