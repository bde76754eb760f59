import { expect, test } from "vitest";
import { keysOfPanel } from "#charts/panel-spec.ts";
import { prepareOverviewPanels } from "#overview/prepare-overview-panels.ts";

test("always four questions and twelve panels", () => {
  for (const known of [new Set<string>(), new Set(["critic/score/mean", "actor/grad_norm"])]) {
    const columns = prepareOverviewPanels(known, "--c1");
    expect(columns.map(({ panels }) => panels.length)).toEqual([3, 3, 3, 3]);
  }
});

test("a run takes the keys that it logs", () => {
  const known = new Set([
    "critic/score/mean",
    "val-core/swe-final/acc/mean@1",
    "val-core/swe/acc/mean@1",
    "actor/entropy_loss",
    "timing_s/gen",
    "timing_s/update_actor",
    "timing_s/step",
    "trainer/idle_ratio",
  ]);
  const titles = prepareOverviewPanels(known, "--c1").flatMap(({ panels }) =>
    panels.map(({ title }) => title),
  );
  expect(titles).toContain("critic/score/mean");
  expect(titles).toContain("val-core/swe/acc/mean@1");
  expect(titles).toContain("actor/entropy_loss");
});

test("step time stacks only the phases that are logged, and heads with the whole", () => {
  const known = new Set(["timing_s/gen", "timing_s/ref", "timing_s/step"]);
  const panel = prepareOverviewPanels(known, "--c1")[2]?.panels[0];
  expect(panel?.series.map(({ key }) => key)).toEqual(["timing_s/gen", "timing_s/ref"]);
  expect(panel?.headKey).toBe("timing_s/step");
  expect(keysOfPanel(panel!)).toContain("timing_s/step");
});

test("roles of a panel keep their colours whatever the run's own is", () => {
  const known = new Set([
    ...["trainer/idle_ratio", "rollouter/idle_ratio", "perf/mfu/actor", "mfu/end_to_end"],
    ...["rollout/invalid_ratio", "rollout/agent_error_ratio"],
  ]);
  const several = (color: string) =>
    prepareOverviewPanels(known, color).flatMap(({ panels }) =>
      panels.filter(({ series }) => series.length > 1),
    );
  expect(several("--c2")).toEqual(several("--c1"));
  expect(several("--c3").map(({ title }) => title)).toEqual(
    expect.arrayContaining(["idle_ratio", "perf/mfu/actor", "rollout/invalid_ratio"]),
  );
});

test("asynchronous rollouts fail by old weights, the others by answers that were cut", () => {
  const third = (...keys: string[]) =>
    prepareOverviewPanels(new Set(keys), "--c1")[3]?.panels[2]?.title;
  const stale = "training/off_policy/trajectory_staleness_worst/max";
  expect(third("fully_async/count/staleness_samples", stale, "response_length/clip_ratio")).toBe(
    stale,
  );
  expect(third(stale, "fully_async/partial/partial_ratio", "response_length/clip_ratio")).toBe(
    "response_length/clip_ratio",
  );
  expect(third("rollout/turns/mean")).toBe("rollout/turns/mean");
});

test("a run without groups of ours shows its advantages instead", () => {
  const panel = prepareOverviewPanels(new Set(["critic/advantages/max"]), "--c1")[0]?.panels[2];
  expect(panel?.title).toBe("critic/advantages/max");
});
