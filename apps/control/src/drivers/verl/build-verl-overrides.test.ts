import type { OverrideValue } from "@liverl/contract/override-value";
import { VERL_MODES } from "@liverl/contract/verl-launch";
import { expect, it } from "vitest";
import { buildVerlOverrides, totalRolloutSteps } from "#drivers/verl/build-verl-overrides.ts";
import { verlSpec } from "#testing/factories.ts";

const places = {
  agentLoops: "/run/agent_loops.yaml",
  checkpoints: "/run/checkpoints",
  rolloutDumps: "/run/rollout",
  validationDumps: "/run/val",
  hydra: "/run/hydra-1",
  trainFiles: ["/data/train.parquet"],
  valFiles: ["/data/val.parquet"],
};
type Change = Parameters<typeof verlSpec>[1];
const base = verlSpec("/venv");

function overrides(change: Change = {}, resume: string | null = null): Map<string, OverrideValue> {
  const pairs = buildVerlOverrides({ ...base, ...change }, places, resume);
  const map = new Map(pairs);
  // Hydra takes a key once.
  expect(map.size).toBe(pairs.length);
  return map;
}
const mode = (trainer_mode: (typeof VERL_MODES)[number]): Change => ({
  algorithm: { ...base.algorithm, trainer_mode },
  layout: { ...base.layout, rollout_nnodes: 2, rollout_n_gpus_per_node: 4 },
});

it.each(VERL_MODES)("%s names each key once, and our loop", (name) => {
  const made = overrides(mode(name));
  expect(made.get("actor_rollout_ref.rollout.agent.agent_loop_config_path")).toBe(
    places.agentLoops,
  );
  expect(made.get("actor_rollout_ref.rollout.calculate_log_probs")).toBe(true);
  expect(made.get("trainer.logger")).toEqual(["console", "file"]);
});

it("every sampling parameter of the spec is passed to verl", () => {
  const sampling = { temperature: 0.7, top_p: 0.9, top_k: 40 };
  const made = overrides({ rollout: { ...base.rollout, ...sampling } });
  for (const [key, value] of Object.entries(sampling))
    expect(made.get(`actor_rollout_ref.rollout.${key}`)).toBe(value);
});

it("each trainer is chosen as verl wants it", () => {
  expect(overrides(mode("v0")).get("trainer.use_v1")).toBe(false);
  const sync = overrides(mode("sync"));
  expect(sync.get("trainer.v1.sampler.sync_refill_failed_groups")).toBe(true);
  const separate = overrides(mode("separate_async"));
  expect(separate.get("actor_rollout_ref.rollout.nnodes")).toBe(2);
  expect(separate.get("actor_rollout_ref.rollout.checkpoint_engine.backend")).toBe("nccl");
  const fully = overrides(mode("fully_async"));
  expect(fully.get("data.train_batch_size")).toBe(0);
  expect(fully.get("actor_rollout_ref.rollout.multi_turn.enable")).toBe(true);
  // 4 parameter versions of 8 prompts × 1 batch × 2 updates.
  expect(fully.get("rollout.total_rollout_steps")).toBe(64);
  expect(totalRolloutSteps(base)).toBe(64);
  expect(overrides(mode("one_step_off")).has("trainer.rollout_data_dir")).toBe(false);
});

it("a trainer that gets stand-ins leaves them out of the baseline", () => {
  const other = {
    algorithm: { ...base.algorithm, trainer_mode: "v0" as const, adv_estimator: "rloo" as const },
  };
  expect(overrides(other).get("algorithm.adv_estimator")).toBe("liverl_rloo");
  for (const name of ["v0", "one_step_off", "fully_async"] as const)
    expect(overrides(mode(name)).get("algorithm.adv_estimator")).toBe("liverl_grpo");
  for (const name of ["sync", "colocate_async", "separate_async"] as const)
    expect(overrides(mode(name)).get("algorithm.adv_estimator")).toBe("grpo");
});

it("engines have their own words", () => {
  const engine = { ...base.engine, sp_size: 2, expert_parallel: 8, router_replay: "R3" as const };
  const veomni = overrides({ engine: { ...engine, name: "veomni" } });
  expect(veomni.get("model_engine")).toBe("veomni");
  expect(veomni.get("actor_rollout_ref.actor.veomni.ulysses_parallel_size")).toBe(2);
  expect(veomni.get("actor_rollout_ref.actor.veomni.router_replay.mode")).toBe("R3");
  expect(veomni.get("actor_rollout_ref.rollout.enable_rollout_routing_replay")).toBe(true);
  const megatron = overrides({ engine: { ...engine, name: "megatron" } });
  expect(megatron.get("actor_rollout_ref.actor.megatron.expert_model_parallel_size")).toBe(8);
  const critic = overrides({ algorithm: { ...base.algorithm, adv_estimator: "gae" } });
  expect(critic.get("critic.strategy")).toBe("fsdp2");
  expect(critic.get("critic.fsdp.fsdp_size")).toBe(-1);
  expect(critic.get("critic.model.path")).toBe("/models/tiny");
});

it("the user's own overrides win, however they are written", () => {
  const made = overrides({
    overrides: { "++trainer.nnodes": 3, "+actor_rollout_ref.new.key": "x" },
  });
  expect(made.has("trainer.nnodes")).toBe(false);
  expect(made.get("++trainer.nnodes")).toBe(3);
  expect([...made.keys()].at(-1)).toBe("+actor_rollout_ref.new.key");
});

it("verl gets epochs for every step, and a number of the user's stays", () => {
  expect(overrides().get("trainer.total_epochs")).toBe(5);
  expect(overrides(mode("fully_async")).get("trainer.total_epochs")).toBe(65);
  const own = overrides({ overrides: { "trainer.total_epochs": 2 } });
  expect(own.get("trainer.total_epochs")).toBe(2);
});

it("a resume goes on from the step that was asked for", () => {
  const made = overrides({}, "/run/checkpoints/global_step_2");
  expect(made.get("trainer.resume_mode")).toBe("resume_path");
  expect(made.get("trainer.resume_from_path")).toBe("/run/checkpoints/global_step_2");
});
