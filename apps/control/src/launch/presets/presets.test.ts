import { readFileSync } from "node:fs";
import { LaunchSpec } from "@liverl/contract/launch";
import { describe, expect, test } from "vitest";
import { planVerl } from "#launch/plan-verl.ts";
import { PRESETS } from "#launch/presets/presets.ts";
import { VERL_PRESETS } from "#launch/presets/verl-presets.ts";
import { judgeVerl } from "#launch/verl-rules/judge-verl.ts";
import { MOE_SHAPE, modelSeen, SEEN, SEEN_KUBE, SEEN_RAY } from "#testing/seen-evidence.ts";

function leaves(value: unknown, prefix = ""): Map<string, string> {
  const found = new Map<string, string>();
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return found.set(prefix, JSON.stringify(value));
  for (const [key, inner] of Object.entries(value))
    for (const [path, leaf] of leaves(inner, prefix === "" ? key : `${prefix}.${key}`))
      found.set(path, leaf);
  return found;
}

function presetOf(id: string) {
  const preset = PRESETS.find((each) => each.id === id);
  if (!preset) throw new Error(`no preset ${id}`);
  return preset.spec;
}

function differences(a: string, b: string): string[] {
  const [left, right] = [leaves(presetOf(a)), leaves(presetOf(b))];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((path) => left.get(path) !== right.get(path) && path !== "name")
    .sort();
}

test("ids are different, and every preset is a whole spec", () => {
  expect(new Set(PRESETS.map(({ id }) => id)).size).toBe(PRESETS.length);
  for (const { spec } of PRESETS) expect(LaunchSpec.parse(spec)).toEqual(spec);
});

test("the form's tests go over these presets", () => {
  const copy = new URL("../../../../web/src/launch/__fixtures__/presets.json", import.meta.url);
  expect(JSON.parse(readFileSync(copy, "utf8"))).toEqual(PRESETS.map(({ spec }) => spec));
});

test.each([
  ["verl-sync", "verl-smoke", ["batch.n", "batch.ppo_mini_batch_size", "batch.train_batch_size"]],
  // 64 prompts in four updates are 16 an update, as the single node has.
  ["verl-sync", "verl-official", ["batch.train_batch_size"]],
  ["ray-fully-async-2n", "ray-fully-async-3n", ["engine.fsdp_size", "layout.nnodes"]],
  [
    "ray-fully-async-3n",
    "ray-window-131k",
    [
      "batch.ppo_max_token_len_per_gpu",
      "engine.optimizer_offload",
      "engine.param_offload",
      "lengths.max_prompt_length",
      "lengths.max_response_length",
      "overrides.actor_rollout_ref.model.use_fused_kernels",
    ],
  ],
  [
    "ray-fully-async-2n",
    "ray-moe-r3",
    [
      "engine.expert_parallel",
      "engine.name",
      "engine.optimizer_offload",
      "engine.router_replay",
      "model.path",
    ],
  ],
])("%s and %s differ by what their names say", (a, b, paths) => {
  // An empty map of overrides is a leaf of its own.
  expect(differences(a, b).filter((path) => path !== "overrides")).toEqual(paths);
});

describe("no preset breaks a rule", () => {
  test.each(VERL_PRESETS.map((preset) => [preset.id, preset.spec] as const))("%s", (id, spec) => {
    const seen = { "local-verl": SEEN, "ray-job": SEEN_RAY, kuberay: SEEN_KUBE }[spec.driver];
    const evidence = id === "ray-moe-r3" ? { ...seen, model: modelSeen(MOE_SHAPE) } : seen;
    const items = judgeVerl(spec, evidence, planVerl(spec, evidence, { dataDir: "/d" }));
    const failed = items.filter(({ status }) => status === "fail").map((item) => item.id);
    // How pods reach this LiveRL is for its operator to say.
    expect(failed).toEqual(spec.driver === "kuberay" ? ["pods-reach-liverl"] : []);
    const warned = items.filter(({ status }) => status === "warn").map((item) => item.id);
    const isAsync = spec.algorithm.trainer_mode === "fully_async";
    expect(warned).toEqual([
      ...(spec.driver === "kuberay" ? ["image"] : []),
      ...(id === "verl-smoke" ? ["smoke-batch"] : []),
      ...(isAsync ? ["mode-single-output", "bypass-unmeasured"] : []),
    ]);
  });
});
