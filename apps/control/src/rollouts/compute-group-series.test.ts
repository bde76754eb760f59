import { expect, it } from "vitest";
import { groupSeries, stepPlan } from "#rollouts/compute-group-series.ts";
import { stepOf } from "#rollouts/follow-trials.ts";
import { trialChange, verlSpec } from "#testing/factories.ts";

const row = (group: string, reward: number | null, termination = "agent-finished") => ({
  ...{
    group_id: group,
    reward,
    termination,
    turns: 2,
    verify_s: 0.1,
    kept_segments: 0,
    routing_coverage: null,
    integrity_kinds: [] as string[],
    version_max: 3 as number | null,
    error_type: reward === null ? "VerifierTimeoutError" : null,
    ...{ setup: 0, generate: 1, tool: 0, verify: 0 },
  },
  status: reward === null ? "failed" : "succeeded",
});

it("a rollout without a reward moves no mean of those that have one", () => {
  const rows = [row("a", 1), row("a", 0), row("b", null, "infra-error"), row("b", 1)];
  expect(groupSeries(rows, { dropped: null, takesOne: false })).toMatchObject({
    "rollout/reward/mean": 2 / 3,
    "rollout/invalid_ratio": 0.25,
  });
  expect(groupSeries(rows, { dropped: null, takesOne: false })).not.toHaveProperty(
    "trajectory_filter/invalid_ratio",
  );
});

it("the newest weights that sampled a step are told where an engine told them", () => {
  const plan = { dropped: null, takesOne: false };
  const newer = { ...row("a", 1), version_max: 7 };
  expect(groupSeries([row("a", 1), newer], plan)["rollout/weight_version/max"]).toBe(7);
  const unknown = { ...row("a", 1), version_max: null };
  expect(groupSeries([unknown], plan)).not.toHaveProperty("rollout/weight_version/max");
});

it("errors and signs are counted by name, and only those that the step has", () => {
  const flagged = { ...row("b", 1), integrity_kinds: ["tests-edited", "network-used"] };
  const lost = { ...row("b", null), error_type: "SandboxLostError" };
  const series = groupSeries([row("a", null), row("a", 0), flagged, lost], {
    dropped: null,
    takesOne: false,
  });
  expect(series).toMatchObject({
    "rollout/verifier_error_ratio": 0.25,
    "rollout/integrity_ratio": 0.25,
    "rollout/error/VerifierTimeoutError": 1,
    "rollout/error/SandboxLostError": 1,
    "rollout/integrity/tests-edited": 1,
  });
  expect(series).not.toHaveProperty("rollout/integrity/reward-planted");
});

it("the slowest rollout is measured against the median, with the part that took its time", () => {
  const slow = { ...row("b", 1), generate: 2, tool: 6 };
  const plan = { dropped: null, takesOne: false };
  expect(groupSeries([row("a", 1), row("a", 0), slow], plan)).toMatchObject({
    "rollout/slowest/ratio": 8,
    "rollout/slowest/tool_s": 6,
    "rollout/slowest/total_s": 8,
  });
  expect(groupSeries([row("a", 1), slow], plan)).not.toHaveProperty("rollout/slowest/ratio");
});

it("what a filter keeps out is counted and is not in the mean", () => {
  const rows = [row("a", 1), row("a", 0, "timeout"), row("b", 0), row("b", 1)];
  expect(
    groupSeries(rows, { dropped: new Map([["timeout", "timeout"]]), takesOne: false }),
  ).toMatchObject({
    "rollout/reward/mean": 2 / 3,
    "trajectory_filter/invalid_ratio": 0.25,
    "rollout/invalid_ratio": 0,
  });
});

it.each(["integrity", "integrity-tools-changed"])(
  "a sign that a filter names by %s is counted",
  (reason) => {
    const signed = { ...row("a", 1), integrity_kinds: ["tools-changed"] };
    const rows = [signed, row("a", 0), { ...row("b", 0), integrity_kinds: [] }, row("b", 1)];
    expect(
      groupSeries(rows, { dropped: new Map([[reason, reason]]), takesOne: false }),
    ).toMatchObject({
      "rollout/reward/mean": 1 / 3,
      "trajectory_filter/invalid_ratio": 0.25,
    });
    const other = new Map([["integrity-tests-edited", "integrity-tests-edited"]]);
    expect(groupSeries(rows, { dropped: other, takesOne: false })).toMatchObject({
      "trajectory_filter/invalid_ratio": 0,
    });
  },
);

it("routing coverage is a mean over rollouts that were asked for it, and only there", () => {
  const rows = [
    { ...row("a", 1), routing_coverage: 0.5 },
    { ...row("a", 0), routing_coverage: 1 },
    row("b", 1),
  ];
  expect(groupSeries(rows, { dropped: null, takesOne: false })).toMatchObject({
    "rollout/routing_coverage/mean": 0.75,
  });
  expect(groupSeries([row("b", 1)], { dropped: null, takesOne: false })).not.toHaveProperty(
    "rollout/routing_coverage/mean",
  );
});

it("segments that a mode of one output leaves are counted, and only there", () => {
  const rows = [
    { ...row("a", 1), kept_segments: 2 },
    row("a", 0),
    { ...row("b", 1), kept_segments: 1 },
  ];
  expect(groupSeries(rows, { dropped: null, takesOne: true })).toMatchObject({
    "rollout/mode_single_output/sum": 3,
  });
  expect(groupSeries(rows, { dropped: null, takesOne: false })).not.toHaveProperty(
    "rollout/mode_single_output/sum",
  );
});

it("a rollout that named no step stands at the first update that its weights lead to", () => {
  const base = {
    runId: "r",
    step: 7,
    group: 0,
    index: 0,
    cursor: 1,
    versionSpan: [3, 4] as [number, number],
  };
  expect(stepOf(trialChange(base))).toBe(7);
  const unnamed = { ...trialChange(base), step: null };
  expect(stepOf(unnamed)).toBe(4);
  expect(stepOf({ ...unnamed, mode: "eval" })).toBe(3);
  expect(stepOf({ ...unnamed, versionSpan: null })).toBeNull();
});

it("a step is judged by what verl will see, an override before the field", () => {
  const spec = verlSpec("/venv", {
    trajectory_filter: { enable: true, drop_reasons: ["env_setup_failed"] },
    overrides: {
      "++data.train_batch_size": 2,
      "actor_rollout_ref.rollout.n": 3,
    },
  });
  expect(stepPlan(spec)).toEqual({
    rollouts: 6,
    dropped: new Map([["env-setup-failed", "env_setup_failed"]]),
    takesOne: false,
  });
  const fully = { ...spec, algorithm: { ...spec.algorithm, trainer_mode: "fully_async" } };
  const sizes = { "actor_rollout_ref.actor.ppo_mini_batch_size": 4 };
  expect(stepPlan({ ...fully, overrides: sizes })).toMatchObject({ rollouts: 32, takesOne: true });
  expect(stepPlan(null)).toEqual({ rollouts: 0, dropped: null, takesOne: false });
});

it("what was dropped is counted by its reason, once a rollout, and no reason is without its series", () => {
  const dropped = new Map([
    ["timeout", "timeout"],
    ["env-setup-failed", "env_setup_failed"],
    ["integrity", "integrity"],
  ]);
  const rows = [
    row("a", 1),
    row("a", null, "timeout"),
    { ...row("b", 0, "timeout"), integrity_kinds: ["tools-changed"] },
    row("b", null, "infra-error"),
  ];
  const series = groupSeries(rows, { dropped, takesOne: false });
  expect(series).toMatchObject({
    "trajectory_filter/invalid_ratio": 0.75,
    "trajectory_filter/dropped/timeout": 2,
    "trajectory_filter/dropped/env_setup_failed": 0,
    "trajectory_filter/dropped/integrity": 0,
    "trajectory_filter/dropped/no_reward": 1,
  });
  expect(Object.keys(groupSeries(rows, { dropped: null, takesOne: false }))).not.toContain(
    "trajectory_filter/dropped/no_reward",
  );
});
