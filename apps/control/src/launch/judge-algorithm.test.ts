import type { EmbeddedSpec } from "@liverl/contract/launch";
import { describe, expect, test } from "vitest";
import { judgeAlgorithm } from "#launch/judge-algorithm.ts";
import { EMBEDDED_PRESETS } from "#launch/presets/embedded-presets.ts";
import { launchSpec } from "#testing/factories.ts";

type Algorithm = Partial<EmbeddedSpec["algorithm"]>;
const base = launchSpec();
const specOf = (algorithm: Algorithm, change: Partial<EmbeddedSpec> = {}) =>
  launchSpec({ ...change, algorithm: { ...base.algorithm, ...algorithm } });
const found = (spec: EmbeddedSpec, id: string, cpus = 4) =>
  judgeAlgorithm(spec, cpus).find(([known]) => known === id)?.[1];

test.each([
  ["a group of one under GRPO", specOf({}, { batch: { train_batch_size: 2, n: 1 } }), "group-size"],
  [
    "a policy that joins after the end",
    specOf({ adv_estimator: "gae" }, { critic: { ...base.critic, critic_warmup: 5 } }),
    "critic-warmup",
  ],
  [
    "a filter by a word that is none",
    specOf({}, { trajectory_filter: { enable: true, drop_reasons: ["timeout", "bored"] } }),
    "filter",
  ],
])("%s fails, with a fix that passes", (_, spec, id) => {
  const check = found(spec, id);
  expect(check?.status).toBe("fail");
  const mended: EmbeddedSpec = structuredClone(spec);
  const [section = "", key = ""] = (check?.fix?.path ?? "").split(".");
  Object.assign(Object(Reflect.get(mended, section)), { [key]: check?.fix?.value });
  expect(found(mended, id)?.status).toBe("pass");
});

test.each([
  ["bounds of tokens for GSPO", specOf({ loss_mode: "gspo" }), "gspo-clip", 4],
  [
    "a threshold of 0",
    specOf({ trainer_mode: "fully_async" }, { async: { ...base.async, staleness_threshold: 0 } }),
    "staleness",
    4,
  ],
  [
    "partial rollouts that nothing interrupts",
    specOf({ trainer_mode: "fully_async" }, { async: { ...base.async, staleness_threshold: 0 } }),
    "partial-rollout",
    4,
  ],
  [
    "a threshold over 1",
    specOf({ trainer_mode: "fully_async" }, { async: { ...base.async, staleness_threshold: 2 } }),
    "staleness",
    4,
  ],
  ["one processor", specOf({ trainer_mode: "fully_async" }), "async-cpus", 1],
  [
    "a filter without reasons",
    specOf({}, { trajectory_filter: { enable: true, drop_reasons: [] } }),
    "filter",
    4,
  ],
] as const)("%s warns", (_, spec, id, cpus) => {
  expect(found(spec, id, cpus)?.status).toBe("warn");
});

test("PPO takes a single rollout a task", () => {
  const spec = specOf({ adv_estimator: "gae" }, { batch: { train_batch_size: 2, n: 1 } });
  expect(found(spec, "group-size")?.status).toBe("pass");
});

test("what a run does not use is not judged", () => {
  expect(judgeAlgorithm(base, 4).map(([id]) => id)).toEqual(["group-size", "learning-rate"]);
});

describe("no embedded preset breaks a rule", () => {
  test.each(EMBEDDED_PRESETS.map(({ id, spec }) => [id, spec] as const))("%s", (_, spec) => {
    if (spec.driver !== "embedded") throw new Error("a preset of another driver");
    expect(judgeAlgorithm(spec, 2).filter(([, { status }]) => status !== "pass")).toEqual([]);
  });
});
