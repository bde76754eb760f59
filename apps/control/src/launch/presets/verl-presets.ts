import type { Preset } from "@liverl/contract/launch";
import type { KubeRaySpec, RayJobSpec, VerlSpec } from "@liverl/contract/verl-launch";
import { KUBERAY_DEFAULTS, LOCAL_VERL_DEFAULTS, RAY_JOB_DEFAULTS } from "#launch/verl-defaults.ts";

/** The policy of the dense presets and that of the MoE preset: folders that the person puts there. */
const DENSE = "/models/Qwen3.5-9B";
const MOE = "/models/Qwen3-30B-A3B";

/**
 * What training a coding agent on Harbor tasks changes in verl's defaults: a group's baseline instead of a critic,
 * long multi-turn responses packed by tokens, engines over 4 GPUs (4 KV heads), importance sampling by token, and
 * rollouts that infrastructure ended kept out of the update.
 */
function trainAgent<S extends VerlSpec>(spec: S): S {
  return {
    ...spec,
    algorithm: {
      ...spec.algorithm,
      adv_estimator: "grpo",
      clip_ratio_high: 0.28,
      rollout_is: "token",
    },
    batch: { ...spec.batch, use_dynamic_bsz: true, ppo_max_token_len_per_gpu: 32_768 },
    lengths: { ...spec.lengths, max_prompt_length: 8192, max_response_length: 24_576 },
    model: { ...spec.model, path: DENSE },
    engine: { ...spec.engine, name: "fsdp2" },
    rollout: { ...spec.rollout, tensor_parallel: 4, gpu_memory_utilization: 0.6 },
    data: {
      ...spec.data,
      train_files: [],
      val_files: [],
      train_harbor_dir: "/data/harbor/train",
      val_harbor_dir: "/data/harbor/val",
    },
    trainer: { ...spec.trainer, test_freq: 10, save_freq: 10, max_actor_ckpt_to_keep: 3 },
    trajectory_filter: { ...spec.trajectory_filter, enable: true },
  };
}

function named<S extends VerlSpec>(spec: S, name: string): S {
  return { ...spec, name };
}

/** `prompts` x `n` rollouts a step, in `updates` optimizer steps. */
function withBatch<S extends VerlSpec>(spec: S, prompts: number, n: number, updates: number): S {
  return {
    ...spec,
    batch: { ...spec.batch, train_batch_size: prompts, n, ppo_mini_batch_size: prompts / updates },
  };
}

/**
 * Trainer and engines apart. A version takes `prompts` prompts: ppo_mini_batch_size x require_batches x
 * trigger_parameter_sync_step. The trainer uses the engines' log-probs, as verl's fully_async defaults do.
 */
function fullyAsync<S extends VerlSpec>(spec: S, trainerNodes: number): S {
  const { train_batch_size } = spec.batch;
  return {
    ...spec,
    algorithm: {
      ...spec.algorithm,
      trainer_mode: "fully_async",
      bypass_mode: true,
      rollout_is: null,
    },
    async: { ...spec.async, staleness_threshold: 0.5 },
    batch: {
      ...spec.batch,
      ppo_mini_batch_size:
        train_batch_size / (spec.async.require_batches * spec.async.trigger_parameter_sync_step),
    },
    layout: { ...spec.layout, nnodes: trainerNodes, rollout_nnodes: 1 },
    engine: { ...spec.engine, fsdp_size: trainerNodes > 1 ? trainerNodes * 8 : -1 },
    rollout: { ...spec.rollout, gpu_memory_utilization: 0.85, concurrency: 256 },
  };
}

/**
 * 40k of prompt and 88k of response, which is 131 072 tokens. Fused kernels never hold the logits of all of them;
 * parameters and Adam's moments leave the GPU between updates.
 */
function withLongWindow<S extends VerlSpec>(spec: S): S {
  return {
    ...spec,
    lengths: { ...spec.lengths, max_prompt_length: 40_960, max_response_length: 90_112 },
    batch: { ...spec.batch, ppo_max_token_len_per_gpu: 131_072 },
    engine: { ...spec.engine, param_offload: true, optimizer_offload: true },
    overrides: { ...spec.overrides, "actor_rollout_ref.model.use_fused_kernels": true },
  };
}

/** A mixture of experts on VeOmni; R3 replays the engine's choice of experts in the trainer. */
function withRouterReplay<S extends VerlSpec>(spec: S): S {
  return {
    ...spec,
    model: { ...spec.model, path: MOE },
    engine: {
      ...spec.engine,
      name: "veomni",
      expert_parallel: 8,
      optimizer_offload: true,
      router_replay: "R3",
    },
  };
}

const local = trainAgent(LOCAL_VERL_DEFAULTS);
const ray: RayJobSpec = trainAgent(RAY_JOB_DEFAULTS);
const kube: KubeRaySpec = trainAgent(KUBERAY_DEFAULTS);
const twoNodes = fullyAsync(withBatch(ray, 64, 8, 4), 1);
const threeNodes = fullyAsync(withBatch(ray, 64, 8, 4), 2);

export const VERL_PRESETS: readonly (Preset & { spec: VerlSpec })[] = [
  {
    id: "verl-sync",
    label: "Single-node sync",
    group: "verl",
    description:
      "GRPO on Harbor tasks, trainer and engines on the same 8 GPUs, 16 × 8 rollouts a step.",
    spec: named(withBatch(local, 16, 8, 1), "sync-1node"),
  },
  {
    id: "verl-smoke",
    label: "Smoke 8 × 4",
    group: "verl",
    description:
      "The single node with a batch of 8 × 4: shows that all parts work, too noisy to judge learning by.",
    spec: named(withBatch(local, 8, 4, 1), "smoke"),
  },
  {
    id: "verl-official",
    label: "Official 64 × 8",
    group: "verl",
    description: "The single node with the batch to judge learning by: 64 × 8 in four updates.",
    spec: named(withBatch(local, 64, 8, 4), "official"),
  },
  {
    id: "ray-fully-async-2n",
    label: "2-node fully-async",
    group: "Ray",
    description: "One node trains while one rolls out; 64 × 8 rollouts a weight version.",
    spec: named(twoNodes, "async-2node"),
  },
  {
    id: "ray-fully-async-3n",
    label: "3-node fully-async",
    group: "Ray",
    description: "Two nodes train as one FSDP group of 16, one rolls out.",
    spec: named(threeNodes, "async-3node"),
  },
  {
    id: "ray-window-131k",
    label: "131k window",
    group: "Ray",
    description:
      "Three nodes with 40k of prompt and 88k of response, fused logits, offload between updates.",
    spec: named(withLongWindow(threeNodes), "async-131k"),
  },
  {
    id: "ray-moe-r3",
    label: "MoE on VeOmni, R3",
    group: "Ray",
    description: "Two nodes, a mixture of experts on VeOmni with router replay (R3).",
    spec: named(withRouterReplay(twoNodes), "moe-r3"),
  },
  {
    id: "kuberay-fully-async-2n",
    label: "2-node fully-async on KubeRay",
    group: "KubeRay",
    description: "The two nodes of the fully-async preset as a RayJob of a Kubernetes cluster.",
    spec: named(fullyAsync(withBatch(kube, 64, 8, 4), 1), "async-2node"),
  },
];
