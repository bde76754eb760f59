import { LaunchSpec, type PreflightItem } from "@liverl/contract/launch";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import { describe, expect, test } from "vitest";
import { effectiveSpec } from "#launch/effective-spec.ts";
import { planVerl } from "#launch/plan-verl.ts";
import { VERL_PRESETS } from "#launch/presets/verl-presets.ts";
import type {
  DataEvidence,
  KubeEvidence,
  RayEvidence,
  VerlEvidence,
} from "#launch/verl-evidence/verl-evidence.ts";
import { judgeVerl, VERL_RULES } from "#launch/verl-rules/judge-verl.ts";
import {
  DENSE_SHAPE,
  MOE_SHAPE,
  modelSeen,
  SEEN,
  SEEN_KUBE,
  SEEN_RAY,
} from "#testing/seen-evidence.ts";

type Values = Record<string, unknown>;

/** `overrides` and `env` have free keys, which may have dots; undefined takes a value out. */
function withValues(spec: VerlSpec, values: Values): VerlSpec {
  const copy: Record<string, unknown> = structuredClone(spec);
  for (const [path, value] of Object.entries(values)) {
    const [section = "", ...rest] = path.split(".");
    const inner = copy[section];
    if (rest.length === 0) copy[section] = value;
    else if (typeof inner === "object") {
      const { [rest.join(".")]: _before, ...others } = inner as Values;
      copy[section] = value === undefined ? others : { ...others, [rest.join(".")]: value };
    }
  }
  const parsed = LaunchSpec.parse(copy);
  if (parsed.driver === "embedded") throw new Error("this test is about verl");
  return parsed;
}

function presetOf(id: string): VerlSpec {
  const preset = VERL_PRESETS.find((each) => each.id === id);
  if (!preset) throw new Error(`no preset ${id}`);
  return preset.spec;
}

/** Well specs, and what was seen for each: each case changes one of them until its rule breaks. */
const WELL = {
  sync: { spec: presetOf("verl-sync"), evidence: SEEN },
  plain: {
    spec: withValues(presetOf("verl-sync"), {
      "batch.use_dynamic_bsz": false,
      "batch.ppo_micro_batch_size_per_gpu": 1,
    }),
    evidence: SEEN,
  },
  ppo: {
    spec: withValues(presetOf("verl-sync"), { "algorithm.adv_estimator": "gae" }),
    evidence: SEEN,
  },
  async: { spec: presetOf("ray-fully-async-2n"), evidence: SEEN_RAY },
  moe: {
    spec: presetOf("ray-moe-r3"),
    evidence: { ...SEEN_RAY, model: modelSeen(MOE_SHAPE) },
  },
  kube: {
    spec: withValues(presetOf("kuberay-fully-async-2n"), {
      "target.image": "ghcr.io/x/verl:0.9.1",
      "target.runner_url": "https://liverl.example/runner",
      "target.proxy_url": "https://liverl.example/proxy",
    }),
    evidence: SEEN_KUBE,
  },
  megatron: {
    spec: withValues(presetOf("verl-sync"), {
      "engine.name": "megatron",
      "engine.tensor_parallel": 2,
    }),
    evidence: SEEN,
  },
} satisfies Record<string, { spec: VerlSpec; evidence: VerlEvidence }>;

function judge(spec: VerlSpec, evidence: VerlEvidence): PreflightItem[] {
  return judgeVerl(spec, evidence, planVerl(effectiveSpec(spec).spec, evidence, { dataDir: "/d" }));
}

const O = "overrides.";
const AGENT = "actor_rollout_ref.rollout.agent";
const RAY_ENV = "ray_kwargs.ray_init.runtime_env.env_vars";
const HYBRID = { ...DENSE_SHAPE, modelType: "qwen3_5", hasGatedDeltaNet: true };
const model = (change: object): Partial<VerlEvidence> => ({
  model: { ...modelSeen(DENSE_SHAPE), ...change } as VerlEvidence["model"],
});
const shape = (change: object): Partial<VerlEvidence> => ({
  model: modelSeen({ ...DENSE_SHAPE, ...change }),
});
const file = (change: object): DataEvidence => ({
  state: "read",
  path: "/data/train.parquet",
  rows: 64,
  columns: ["prompt", "data_source", "extra_info"],
  extraInfo: ["task_ref"],
  ...change,
});
const ray = (change: Partial<RayEvidence>): Partial<VerlEvidence> => ({
  ray: { ...(SEEN_RAY.ray as RayEvidence), ...change },
});
const kube = (change: Partial<KubeEvidence>): Partial<VerlEvidence> => ({
  kube: { ...(SEEN_KUBE.kube as KubeEvidence), ...change },
});
const gpu = (memoryMb: number): Partial<VerlEvidence> => ({
  gpus: { count: 8, memoryMb, busy: [] },
});

interface Case {
  id: string;
  status: "fail" | "warn";
  on?: keyof typeof WELL;
  values?: Values;
  seen?: Partial<VerlEvidence>;
  /** What the next look sees, where the mended spec has another thing looked at. */
  next?: Partial<VerlEvidence>;
}

const CASES: readonly Case[] = [
  // batch
  { id: "group-size", status: "fail", values: { "batch.n": 1 } },
  { id: "group-size", status: "warn", values: { "batch.n": 2 } },
  {
    id: "smoke-batch",
    status: "warn",
    values: { "batch.train_batch_size": 4, "batch.ppo_mini_batch_size": 4 },
  },
  {
    id: "micro-batch",
    status: "fail",
    on: "plain",
    values: { "batch.ppo_micro_batch_size_per_gpu": null },
  },
  {
    id: "micro-batch-twice",
    status: "fail",
    on: "plain",
    values: { [`${O}actor_rollout_ref.actor.ppo_micro_batch_size`]: 8 },
  },
  {
    id: "micro-batch-old",
    status: "fail",
    on: "plain",
    values: {
      "batch.ppo_micro_batch_size_per_gpu": null,
      [`${O}actor_rollout_ref.actor.ppo_micro_batch_size`]: 5,
    },
  },
  {
    id: "log-prob-micro-batch",
    status: "fail",
    on: "plain",
    values: { [`${O}actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu`]: null },
  },
  {
    id: "dynamic-both",
    status: "fail",
    values: { [`${O}actor_rollout_ref.rollout.log_prob_use_dynamic_bsz`]: false },
  },
  { id: "dynamic-tokens", status: "fail", values: { "batch.ppo_max_token_len_per_gpu": 1024 } },
  {
    id: "batch-divides",
    status: "fail",
    on: "plain",
    values: { "batch.train_batch_size": 15, "batch.ppo_mini_batch_size": 15, "batch.n": 5 },
  },
  {
    id: "batch-divides",
    status: "fail",
    on: "megatron",
    values: { "batch.use_dynamic_bsz": false, "batch.ppo_micro_batch_size_per_gpu": 3 },
  },
  { id: "mini-batch-fits", status: "fail", values: { "batch.ppo_mini_batch_size": 32 } },
  { id: "mini-batch-divides", status: "fail", values: { "batch.ppo_mini_batch_size": 12 } },
  {
    id: "mini-batch-ranks",
    status: "fail",
    values: { "batch.n": 5, "batch.ppo_mini_batch_size": 1 },
  },
  {
    id: "separate-async-batch",
    status: "fail",
    values: { "algorithm.trainer_mode": "separate_async", "layout.rollout_nnodes": 1 },
  },
  {
    id: "fully-async-batch",
    status: "warn",
    on: "async",
    values: { "batch.train_batch_size": 100 },
  },
  { id: "in-flight", status: "warn", values: { "rollout.concurrency": 1 } },
  // the critic of PPO
  {
    id: "critic-mini-batch",
    status: "fail",
    on: "ppo",
    values: { [`${O}critic.ppo_mini_batch_size`]: 32 },
  },
  {
    id: "critic-mini-batch",
    status: "fail",
    on: "ppo",
    values: { [`${O}critic.ppo_mini_batch_size`]: 12 },
  },
  {
    id: "critic-mini-batch-ranks",
    status: "fail",
    on: "ppo",
    values: { [`${O}critic.ppo_mini_batch_size`]: 1, "batch.n": 5 },
  },
  {
    id: "critic-micro-batch",
    status: "fail",
    on: "ppo",
    values: { [`${O}critic.use_dynamic_bsz`]: false },
  },
  {
    id: "critic-micro-batch",
    status: "fail",
    on: "ppo",
    values: {
      "batch.use_dynamic_bsz": false,
      "batch.ppo_micro_batch_size_per_gpu": 1,
      [`${O}critic.ppo_micro_batch_size_per_gpu`]: null,
    },
  },
  {
    id: "critic-micro-batch",
    status: "fail",
    on: "ppo",
    values: {
      "batch.use_dynamic_bsz": false,
      "batch.ppo_micro_batch_size_per_gpu": 1,
      [`${O}critic.ppo_micro_batch_size`]: 8,
    },
  },
  {
    id: "critic-micro-batch-divides",
    status: "fail",
    on: "ppo",
    values: {
      [`${O}critic.use_dynamic_bsz`]: false,
      [`${O}critic.ppo_micro_batch_size`]: 5,
    },
  },
  {
    id: "critic-tokens",
    status: "fail",
    on: "ppo",
    values: { [`${O}critic.ppo_max_token_len_per_gpu`]: 1024 },
  },
  // lengths
  { id: "window", status: "fail", values: { "lengths.max_model_len": 16_384 } },
  { id: "model-window", status: "fail", values: { "lengths.max_model_len": 200_000 } },
  { id: "model-window", status: "fail", seen: shape({ maxPositions: 4096 }) },
  { id: "turn-tokens", status: "warn", values: { "rollout.max_tokens": 50_000 } },
  { id: "importance-sampling", status: "warn", values: { "algorithm.rollout_is": "sequence" } },
  { id: "importance-sampling", status: "warn", values: { "algorithm.rollout_is": null } },
  // algorithm
  { id: "mode-single-output", status: "warn", values: { "algorithm.trainer_mode": "v0" } },
  {
    id: "stand-ins",
    status: "warn",
    values: { "algorithm.trainer_mode": "v0", [`${O}algorithm.adv_estimator`]: "rloo_vectorized" },
  },
  {
    id: "stand-ins",
    status: "warn",
    values: { "algorithm.trainer_mode": "v0", "algorithm.adv_estimator": "remax" },
  },
  {
    id: "filter-unknown",
    status: "fail",
    values: { "trajectory_filter.enable": true, "trajectory_filter.drop_reasons": ["slow"] },
  },
  { id: "estimator-of-mode", status: "fail", values: { "algorithm.adv_estimator": "remax" } },
  { id: "estimator-of-mode", status: "warn", values: { "algorithm.adv_estimator": "rloo" } },
  { id: "bypass-unmeasured", status: "warn", values: { "algorithm.bypass_mode": true } },
  { id: "bypass-loss", status: "fail", on: "async", values: { "algorithm.loss_mode": "gspo" } },
  {
    id: "bypass-importance-sampling",
    status: "warn",
    on: "async",
    values: { "algorithm.rollout_is": "token" },
  },
  { id: "gspo-aggregation", status: "warn", values: { "algorithm.loss_mode": "gspo" } },
  { id: "gspo-clip", status: "warn", values: { "algorithm.loss_mode": "gspo" } },
  { id: "clip-order", status: "warn", values: { "algorithm.clip_ratio_low": 0.5 } },
  {
    id: "kl-twice",
    status: "warn",
    values: { "algorithm.use_kl_loss": true, "algorithm.use_kl_in_reward": true },
  },
  { id: "staleness", status: "warn", on: "async", values: { "async.staleness_threshold": 3 } },
  {
    id: "filter-groups",
    status: "fail",
    values: {
      [`${O}algorithm.filter_groups.enable`]: true,
      [`${O}algorithm.filter_groups.metric`]: null,
    },
  },
  { id: "filter-reasons", status: "warn", values: { "trajectory_filter.drop_reasons": [] } },
  // engine
  { id: "megatron-world", status: "fail", on: "megatron", values: { "engine.tensor_parallel": 3 } },
  { id: "fsdp-size", status: "fail", values: { "engine.fsdp_size": 3 } },
  { id: "sp-world", status: "fail", values: { "engine.sp_size": 3 } },
  {
    id: "sp-padding",
    status: "fail",
    values: { "engine.sp_size": 2, "model.use_remove_padding": false },
  },
  {
    id: "gated-delta-net",
    status: "fail",
    values: { "engine.sp_size": 2 },
    seen: { model: modelSeen(HYBRID) },
  },
  { id: "sp-heads", status: "fail", values: { "engine.sp_size": 8 } },
  { id: "megatron-heads", status: "fail", on: "megatron", values: { "engine.tensor_parallel": 8 } },
  { id: "experts-divide", status: "fail", on: "moe", values: { "engine.expert_parallel": 3 } },
  { id: "experts-world", status: "fail", on: "moe", values: { "engine.expert_parallel": 16 } },
  { id: "experts-engine", status: "fail", values: { "engine.expert_parallel": 2 } },
  {
    id: "experts-engine",
    status: "warn",
    on: "moe",
    values: {
      "engine.name": "fsdp2",
      "engine.expert_parallel": 1,
      "engine.router_replay": "disabled",
    },
  },
  { id: "router-replay-engine", status: "fail", on: "moe", values: { "engine.name": "fsdp2" } },
  { id: "router-replay-dense", status: "fail", on: "moe", seen: { model: modelSeen(DENSE_SHAPE) } },
  {
    id: "router-replay-padding",
    status: "fail",
    on: "moe",
    values: { "model.use_remove_padding": false },
  },
  {
    id: "router-replay-bypass",
    status: "fail",
    on: "moe",
    values: { "engine.router_replay": "R2" },
  },
  {
    id: "router-replay-routes",
    status: "fail",
    on: "moe",
    values: { [`${O}actor_rollout_ref.rollout.enable_rollout_routing_replay`]: false },
  },
  {
    id: "router-replay-routes",
    status: "fail",
    on: "moe",
    values: {
      "engine.router_replay": "R2",
      [`${O}actor_rollout_ref.rollout.enable_rollout_routing_replay`]: true,
    },
  },
  { id: "router-replay-rollout", status: "fail", on: "moe", values: { "rollout.name": "trtllm" } },
  {
    id: "async-save",
    status: "fail",
    values: { [`${O}+actor_rollout_ref.actor.checkpoint.async_save`]: true },
  },
  // rollout
  {
    id: "template-values",
    status: "fail",
    values: { [`${O}+data.apply_chat_template_kwargs`]: "enable_thinking" },
  },
  { id: "kv-heads", status: "fail", values: { "rollout.tensor_parallel": 8 } },
  { id: "heads", status: "fail", seen: shape({ heads: 30 }) },
  { id: "rollout-pool", status: "warn", values: { "layout.rollout_nnodes": 1 } },
  { id: "rollout-pool", status: "fail", on: "async", values: { "layout.rollout_nnodes": 0 } },
  {
    id: "rollout-pool",
    status: "fail",
    on: "async",
    values: { "layout.rollout_n_gpus_per_node": 0 },
  },
  { id: "rollout-tp-divides", status: "fail", values: { "layout.n_gpus_per_node": 6 } },
  {
    id: "rollout-tp-node",
    status: "warn",
    values: { "layout.n_gpus_per_node": 2, "layout.nnodes": 4 },
  },
  {
    id: "rollout-pp",
    status: "fail",
    values: { [`${O}actor_rollout_ref.rollout.pipeline_model_parallel_size`]: 2 },
  },
  {
    id: "rollout-ep",
    status: "fail",
    on: "moe",
    values: { [`${O}actor_rollout_ref.rollout.expert_parallel_size`]: 2 },
  },
  {
    id: "rollout-mode",
    status: "fail",
    values: { [`${O}actor_rollout_ref.rollout.mode`]: "sync" },
  },
  {
    id: "prometheus",
    status: "fail",
    values: { [`${O}actor_rollout_ref.rollout.prometheus.enable`]: true },
  },
  {
    id: "sampling-unsupported",
    status: "fail",
    values: { "rollout.name": "trtllm", "rollout.max_tokens": 512 },
  },
  { id: "sampling-truncated", status: "warn", values: { "rollout.top_p": 0.9 } },
  { id: "sampling-truncated", status: "warn", values: { "rollout.top_k": 50 } },
  // fully_async and its kin
  {
    id: "fully-async-hybrid",
    status: "fail",
    on: "async",
    values: { [`${O}actor_rollout_ref.hybrid_engine`]: true },
  },
  {
    id: "fully-async-train-batch",
    status: "fail",
    on: "async",
    values: { [`${O}data.train_batch_size`]: 64 },
  },
  {
    id: "fully-async-gen-batch",
    status: "fail",
    on: "async",
    values: { [`${O}data.gen_batch_size`]: 8 },
  },
  {
    id: "fully-async-log-probs",
    status: "fail",
    on: "async",
    values: { [`${O}actor_rollout_ref.rollout.calculate_log_probs`]: false },
  },
  {
    id: "fully-async-multi-turn",
    status: "fail",
    on: "async",
    values: { [`${O}actor_rollout_ref.rollout.multi_turn.enable`]: false },
  },
  {
    id: "weight-sync-backend",
    status: "fail",
    on: "async",
    values: { [`${O}actor_rollout_ref.rollout.checkpoint_engine.backend`]: "naive" },
  },
  {
    id: "reward-model-pool",
    status: "fail",
    on: "async",
    values: { [`${O}reward.reward_model.enable`]: true },
  },
  {
    id: "filter-streaming-reward",
    status: "fail",
    values: {
      [`${O}algorithm.filter_groups.enable`]: true,
      [`${O}reward.reward_model.enable`]: true,
    },
  },
  {
    id: "hdfs-checkpoints",
    status: "fail",
    on: "async",
    values: { [`${O}trainer.default_hdfs_dir`]: "hdfs://x" },
  },
  {
    id: "one-step-off-dumps",
    status: "fail",
    on: "async",
    values: {
      "algorithm.trainer_mode": "one_step_off",
      [`${O}trainer.rollout_data_dir`]: "/dumps",
    },
  },
  // data
  { id: "data-train", status: "fail", values: { "data.train_harbor_dir": null } },
  { id: "data-val", status: "fail", values: { "data.val_harbor_dir": null } },
  {
    id: "data-readable-train",
    status: "fail",
    seen: { trainHarbor: { state: "unreadable", path: "/x", message: "there is no such folder" } },
  },
  {
    id: "data-readable-train",
    status: "warn",
    seen: { train: [{ state: "elsewhere", path: "/x" }] },
  },
  {
    id: "data-readable-val",
    status: "fail",
    seen: { val: [{ state: "unreadable", path: "/x", message: "there is no such file" }] },
  },
  { id: "data-columns-train", status: "fail", seen: { train: [file({ columns: ["question"] })] } },
  { id: "data-columns-val", status: "fail", seen: { val: [file({ columns: ["prompt"] })] } },
  {
    id: "data-task-train",
    status: "fail",
    seen: { train: [file({ extraInfo: ["instance_id"] })] },
  },
  { id: "data-task-val", status: "fail", seen: { val: [file({ extraInfo: [] })] } },
  ...(["train", "val"] as const).map(
    (name): Case => ({
      ...{ id: `data-agent-loop-${name}`, status: "warn" },
      seen: { [name]: [file({ columns: ["prompt", "data_source", "extra_info", "agent_name"] })] },
    }),
  ),
  {
    id: "data-rows",
    status: "fail",
    seen: { trainHarbor: { state: "read", path: "/x", tasks: 7, broken: [] } },
  },
  {
    id: "data-tasks-train",
    status: "fail",
    seen: { trainHarbor: { state: "read", path: "/x", tasks: 0, broken: [] } },
  },
  {
    id: "data-tasks-val",
    status: "fail",
    seen: { valHarbor: { state: "read", path: "/x", tasks: 0, broken: [] } },
  },
  ...(["train", "val"] as const).map(
    (name): Case => ({
      id: `data-broken-tasks-${name}`,
      status: "fail",
      seen: {
        [`${name}Harbor`]: {
          ...{ state: "read", path: "/x", tasks: 18 },
          broken: [{ path: "a", reason: "/x/a/task.toml: no TOML" }],
        },
      },
    }),
  ),
  { id: "tasks-played", status: "warn", seen: { gate: null } },
  ...["unsolved", "rewarded", "failed"].map(
    (how): Case => ({
      ...{ id: "tasks-played", status: "warn" },
      seen: {
        gate: {
          ...{ at: "2026-11-22T10:00:00.000Z", played: 20, unsolved: [], rewarded: [], failed: [] },
          [how]: ["a", "b", "c", "d"],
        },
      },
    }),
  ),
  // learning rate
  { id: "learning-rate", status: "warn", values: { "optim.lr": 0.1 } },
  { id: "learning-rate", status: "warn", values: { "optim.lr": 1e-12 } },
  {
    id: "learning-rate",
    status: "warn",
    values: { "optim.lr": 0.01, [`${O}actor_rollout_ref.model.lora_rank`]: 32 },
  },
  // schedule
  { id: "checkpoints", status: "warn", values: { "trainer.save_freq": -1 } },
  { id: "checkpoints", status: "warn", values: { "trainer.save_freq": 200 } },
  {
    id: "checkpoints-kept",
    status: "warn",
    values: { "trainer.max_actor_ckpt_to_keep": null, "trainer.save_freq": 2 },
  },
  { id: "evaluation", status: "warn", values: { "trainer.test_freq": -1 } },
  { id: "epochs", status: "fail", values: { [`${O}trainer.total_epochs`]: 1 } },
  { id: "epochs", status: "fail", values: { [`${O}~trainer.total_epochs`]: null } },
  { id: "epochs", status: "fail", on: "async", values: { [`${O}trainer.total_epochs`]: 2 } },
  {
    id: "epochs",
    status: "warn",
    values: { [`${O}+trainer.total_epochs`]: 30 },
    seen: { trainHarbor: { state: "elsewhere", path: "/x" } },
  },
  {
    id: "resume-path",
    status: "fail",
    values: { "trainer.resume_mode": "resume_path", "trainer.resume_from_path": "/ckpt" },
  },
  // machine
  { id: "model-folder", status: "fail", seen: { model: { state: "missing", message: "gone" } } },
  { id: "model-folder", status: "warn", on: "async", seen: { model: { state: "elsewhere" } } },
  {
    id: "model-folder",
    status: "fail",
    seen: model({ missingWeights: ["model-00002-of-00004.safetensors"] }),
  },
  {
    id: "model-folder",
    status: "fail",
    seen: model({ damagedWeights: ["model.safetensors is damaged: its header is cut off."] }),
  },
  { id: "model-folder", status: "fail", seen: model({ hasWeights: false }) },
  { id: "model-folder", status: "fail", seen: model({ hasTokenizer: false }) },
  {
    id: "model-folder",
    status: "fail",
    seen: model({ shape: null, fault: "config.json can not be read." }),
  },
  { id: "chat-template", status: "fail", seen: model({ hasChatTemplate: false }) },
  { id: "verl-version", status: "warn", values: { "verl.version": "0.8.0" } },
  {
    id: "verl-checkout",
    status: "fail",
    values: { "verl.path": "/src/verl" },
    seen: { checkout: { hasVerl: false } },
  },
  { id: "python", status: "fail", seen: { python: { venv: null, interpreter: null } } },
  {
    id: "python",
    status: "fail",
    values: { "target.venv": "/venv" },
    seen: { python: { venv: { hasPython: false, verlVersion: null }, interpreter: null } },
    next: { python: SEEN.python },
  },
  {
    id: "python",
    status: "fail",
    values: { "target.venv": "/venv" },
    seen: { python: { venv: { hasPython: true, verlVersion: null }, interpreter: null } },
    next: { python: SEEN.python },
  },
  {
    id: "python",
    status: "warn",
    values: { "target.venv": "/venv" },
    seen: { python: { venv: { hasPython: true, verlVersion: "0.8.0" }, interpreter: null } },
  },
  { id: "gpus", status: "fail", seen: { gpus: { count: 4, memoryMb: 80_000, busy: [] } } },
  {
    id: "gpus-busy",
    status: "warn",
    seen: {
      gpus: { count: 8, memoryMb: 85_520, busy: [{ pid: 812, name: "python3", usedMb: 4e4 }] },
    },
  },
  {
    id: "ports",
    status: "fail",
    values: { "env.MASTER_PORT": "6379" },
    seen: { ports: [{ port: 6379, path: "env.MASTER_PORT", isFree: false }] },
    next: { ports: [] },
  },
  {
    id: "proxy-address",
    status: "fail",
    values: { "proxy.mode": "local" },
    seen: { proxyFault: "Nothing can listen on 10.0.0.5 (EADDRNOTAVAIL)." },
    next: { proxyFault: null },
  },
  ...[40, -40].map(
    (clockAheadS): Case => ({
      ...{ id: "clock", status: "warn", on: "async" },
      seen: ray({ clockAheadS }),
    }),
  ),
  { id: "nodes", status: "fail", values: { "layout.nnodes": 2 } },
  {
    id: "ray",
    status: "fail",
    on: "async",
    seen: ray({ version: null, fault: "nothing answers" }),
  },
  {
    id: "ray-token",
    status: "fail",
    on: "async",
    seen: ray({ isLoopback: false, authentication: "disabled" }),
  },
  {
    id: "ray-token",
    status: "fail",
    on: "async",
    seen: ray({ isLoopback: false, authentication: "unknown", hasToken: false }),
  },
  { id: "ray-token", status: "fail", on: "async", seen: ray({ hasToken: false }), next: ray({}) },
  { id: "ray-token", status: "fail", on: "async", seen: ray({ tokenFault: "/t is empty" }) },
  { id: "ray-token", status: "warn", on: "async", seen: ray({ authentication: "disabled" }) },
  {
    id: "ray-gpus",
    status: "fail",
    on: "async",
    seen: ray({ resources: { cpus: 500, gpus: 8, nodes: 1, gpuMb: null } }),
  },
  { id: "cpus", status: "fail", seen: { cpus: 8 } },
  { id: "cpus", status: "fail", on: "async", seen: { cpus: 8 } },
  {
    id: "kubeconfig",
    status: "fail",
    on: "kube",
    values: { "target.kubeconfig": "/k" },
    seen: { kubeconfig: { path: "/k", fault: "it can not be read" } },
    next: { kubeconfig: null },
  },
  { id: "image", status: "warn", on: "kube", values: { "target.image": "ghcr.io/x/verl" } },
  { id: "image", status: "warn", on: "kube", values: { "target.image": "verl:0.9.1" } },
  // memory and disk
  { id: "memory-train", status: "fail", seen: gpu(10_000) },
  { id: "memory-train", status: "warn", seen: gpu(30_000) },
  { id: "memory-rollout", status: "fail", values: { "rollout.gpu_memory_utilization": 0.05 } },
  { id: "memory-shared", status: "warn", values: { "rollout.gpu_memory_utilization": 0.9 } },
  { id: "disk", status: "fail", seen: { freeDiskMb: 150_000 } },
  // overrides
  {
    id: "word algorithm.adv_estimator",
    status: "fail",
    values: { [`${O}algorithm.adv_estimator`]: "grop" },
  },
  {
    id: "word actor_rollout_ref.actor.strategy",
    status: "fail",
    values: { [`${O}actor_rollout_ref.actor.strategy`]: "ddp" },
  },
  {
    id: "word actor_rollout_ref.actor.policy_loss.loss_mode",
    status: "fail",
    values: { [`${O}actor_rollout_ref.actor.policy_loss.loss_mode`]: "ppo" },
  },
  {
    id: "word actor_rollout_ref.actor.loss_agg_mode",
    status: "fail",
    values: { [`${O}actor_rollout_ref.actor.loss_agg_mode`]: "mean" },
  },
  {
    id: "word actor_rollout_ref.actor.veomni.router_replay.mode",
    status: "fail",
    on: "moe",
    values: { [`${O}actor_rollout_ref.actor.veomni.router_replay.mode`]: "R4" },
  },
  {
    id: "kube-server",
    status: "fail",
    on: "kube",
    seen: kube({ fault: "Kubernetes does not answer at https://10.0.0.1:6443: ECONNREFUSED." }),
  },
  {
    id: "kube-server",
    status: "fail",
    on: "kube",
    seen: kube({ server: null, fault: "No kubeconfig was found." }),
  },
  { id: "kuberay", status: "fail", on: "kube", seen: kube({ hasKubeRay: false }) },
  { id: "kube-namespace", status: "fail", on: "kube", seen: kube({ hasNamespace: false }) },
  { id: "kube-namespace", status: "warn", on: "kube", seen: kube({ hasNamespace: null }) },
  {
    id: "kube-access",
    status: "fail",
    on: "kube",
    seen: kube({ denied: ["create rayjobs.ray.io"] }),
  },
  { id: "pods-reach-liverl", status: "fail", on: "kube", values: { "target.runner_url": null } },
  { id: "pods-reach-liverl", status: "fail", on: "kube", values: { "target.proxy_url": null } },
  { id: "proxy-in-image", status: "fail", on: "kube", values: { "proxy.mode": "local" } },
  // what LiveRL sets itself
  ...["", "+", "++", "~"].map(
    (prefix): Case => ({
      id: "own-agent-loops",
      status: "fail",
      values: { [`${O}${prefix}${AGENT}.agent_loop_config_path`]: "/my/loops.yaml" },
    }),
  ),
  {
    id: "own-default-loop",
    status: "fail",
    values: { [`${O}${AGENT}.default_agent_loop`]: "tool_agent" },
  },
  {
    id: "own-loop-manager",
    status: "warn",
    values: { [`${O}+${AGENT}.agent_loop_manager_class`]: "mine.Manager" },
  },
  { id: "own-checkpoints", status: "warn", values: { [`${O}trainer.default_local_dir`]: "/c" } },
  { id: "own-trainer", status: "fail", values: { [`${O}trainer.use_v1`]: false } },
  {
    id: "own-trainer",
    status: "fail",
    values: { "algorithm.trainer_mode": "v0", [`${O}trainer.use_v1`]: true },
  },
  { id: "own-trainer", status: "warn", on: "async", values: { [`${O}trainer.use_v1`]: true } },
  {
    id: "own-rollout-steps",
    status: "fail",
    on: "async",
    values: { [`${O}rollout.total_rollout_steps`]: 10 },
  },
  {
    id: "own-rollout-steps",
    status: "fail",
    on: "async",
    values: { [`${O}rollout.total_rollout_steps`]: null },
  },
  {
    id: "own-rollout-steps",
    status: "warn",
    on: "async",
    values: { [`${O}rollout.total_rollout_steps`]: 10_000_000 },
  },
  {
    id: "own-sections",
    status: "fail",
    values: { [`${O}trainer`]: { logger: ["file"], v1: { sampler: { seed: 1 } } } },
  },
  { id: "own-sections", status: "fail", values: { [`${O}~${AGENT}`]: null } },
  { id: "own-logger", status: "fail", values: { [`${O}trainer.logger`]: ["console", "wandb"] } },
  { id: "own-logger", status: "fail", values: { [`${O}trainer.logger`]: ["file", "wnadb"] } },
  { id: "own-logger", status: "fail", values: { [`${O}~trainer.logger`]: null } },
  { id: "own-logger", status: "warn", on: "async", values: { [`${O}trainer.logger`]: ["file"] } },
  {
    id: "env-VERL_FILE_LOGGER_PATH",
    status: "fail",
    values: { "env.VERL_FILE_LOGGER_PATH": "/m" },
  },
  {
    id: "env-VERL_USE_EXTERNAL_MODULES",
    status: "fail",
    values: { [`${O}+${RAY_ENV}.VERL_USE_EXTERNAL_MODULES`]: "mine" },
  },
  { id: "env-PYTHONPATH", status: "fail", values: { [`${O}+${RAY_ENV}.PYTHONPATH`]: "/mine" } },
  { id: "env-LIVERL_PROXY_MODE", status: "fail", values: { "env.LIVERL_PROXY_MODE": "local" } },
  { id: "env-LIVERL_PROXY_MODE", status: "fail", values: { "env.LIVERL_PROXY_MODE": "lokal" } },
  {
    id: "env-LIVERL_PROXY_MODE",
    status: "fail",
    values: { [`${O}+actor_rollout_ref.rollout.custom.liverl.proxy_mode`]: "local" },
  },
  ...["PROXY_SERVER_URL", "LIVERL_PROXY_ACTOR", "LLM_PROXY_IP"].flatMap((name) =>
    (["sync", "async"] as const).map(
      (on): Case => ({
        ...{ id: `env-${name}`, status: "fail", on },
        values: { [`env.${name}`]: "http://10.0.0.5:8080" },
      }),
    ),
  ),
  ...[
    ...["LIVERL_RUNNER_URL", "REMOTE_RUNNER_URL", "LIVERL_RUN_ID"],
    ...["LIVERL_RUNNER_TOKEN", "LIVERL_RUNNER_TOKEN_PATH"],
    ...["LIVERL_WORKER_TOKEN", "LIVERL_WORKER_TOKEN_PATH"],
  ].map((name): Case => ({ id: `env-${name}`, status: "fail", values: { [`env.${name}`]: "x" } })),
  {
    id: "env-RL_CLEAN_FORCE_GPU_KILL",
    status: "warn",
    values: { "env.RL_CLEAN_FORCE_GPU_KILL": "1" },
  },
  ...Object.entries({
    REMOTE_MAX_TOKENS: "100",
    REMOTE_RETRIES: "5",
    REMOTE_HARBOR_ROOT: "/tasks",
    REMOTE_TASK_PATH_TEMPLATE: "/tasks/{instance_id}",
    TRAJ_FILTER_DROP_REASONS: "timeout",
    TRAJ_FILTER_ENABLE: "maybe",
  }).map(
    ([name, value]): Case => ({
      ...{ id: `env-${name}`, status: "warn" },
      values: { [`env.${name}`]: value },
    }),
  ),
  {
    id: `shadow ${O}data.train_batch_size`,
    status: "warn",
    values: { [`${O}data.train_batch_size`]: 32 },
  },
];

describe("each rule says no to what breaks it, and its button mends it", () => {
  test.each(CASES.map((each, i) => [`${each.id} (${each.status}) #${i}`, each] as const))(
    "%s",
    (_name, { id, status, on = "sync", values = {}, seen = {}, next = {} }) => {
      const well = WELL[on];
      const found = (spec: VerlSpec, evidence: VerlEvidence) =>
        judge(spec, evidence).find((item) => item.id === id);
      const isAlways = Object.keys(values).length === 0 && Object.keys(seen).length === 0;
      if (!isAlways) expect(found(well.spec, well.evidence)?.status).not.toBe(status);
      const spec = withValues(well.spec, values);
      const evidence: VerlEvidence = { ...well.evidence, ...seen };
      const item = found(spec, evidence);
      expect(item?.status).toBe(status);
      if (!item?.fix) return;
      const { path, value, also } = item.fix;
      const mended = found(withValues(spec, { [path]: value, ...also }), { ...evidence, ...next });
      expect(mended?.status ?? "pass", JSON.stringify(item.fix)).toBe("pass");
    },
  );

  test("and no rule is without such a case", () => {
    const tested = new Set(CASES.map(({ id }) => id));
    const rules = [
      ...VERL_RULES.map(({ id }) => id),
      "memory-train",
      "memory-rollout",
      "memory-shared",
      "disk",
    ];
    expect(rules.filter((id) => !tested.has(id))).toEqual([]);
    expect(new Set(rules).size).toBe(rules.length);
  });
});

test("a fix goes to the override that stands in for the field", () => {
  const path = `${O}actor_rollout_ref.rollout.tensor_model_parallel_size`;
  const spec = withValues(WELL.sync.spec, { [path]: 8 });
  const item = judge(spec, SEEN).find(({ id }) => id === "kv-heads");
  expect(item).toMatchObject({ status: "fail", fix: { path, value: 4 }, field: path });
});

test("a Ray that verl starts here has the GPUs and CPUs that it is told of", () => {
  const spec = withValues(WELL.sync.spec, {
    [`${O}++ray_kwargs.ray_init.num_gpus`]: 8,
    [`${O}ray_kwargs.ray_init.num_cpus`]: 40,
  });
  const bare = { ...SEEN, gpus: { count: 0, memoryMb: 0, busy: [] }, cpus: 2 };
  const items = new Map(judge(spec, bare).map((item) => [item.id, item.status]));
  expect([items.get("gpus"), items.get("cpus")]).toEqual(["pass", "pass"]);
});

test("an override below another engine's name says nothing of this run", () => {
  const spec = withValues(WELL.sync.spec, {
    [`${O}actor_rollout_ref.actor.veomni.param_offload`]: true,
  });
  expect(effectiveSpec(spec)).toEqual({ spec, shadows: [] });
});

test("an estimator's twin for stand-ins is judged as the estimator", () => {
  const path = `${O}algorithm.adv_estimator`;
  const spec = withValues(WELL.sync.spec, {
    "algorithm.trainer_mode": "v0",
    [path]: "liverl_rloo",
  });
  expect(effectiveSpec(spec).spec.algorithm.adv_estimator).toBe("rloo");
  const items = new Map(judge(spec, SEEN).map((item) => [item.id, item.status]));
  expect([items.get("word algorithm.adv_estimator"), items.get("stand-ins")]).toEqual([
    undefined,
    undefined,
  ]);
});

test("a value that a field can not take is told, and the field's own is judged", () => {
  const path = `${O}algorithm.adv_estimator`;
  const spec = withValues(WELL.sync.spec, { [path]: "rloo_vectorized" });
  expect(effectiveSpec(spec).spec.algorithm.adv_estimator).toBe("grpo");
  expect(judge(spec, SEEN).find(({ id }) => id === `shadow ${path}`)?.why).toMatch(/not checked/);
});

test("what a fix takes out comes back in the fields that say the same", () => {
  const fixOf = (spec: VerlSpec, id: string) =>
    judge(spec, SEEN).find((item) => item.id === id)?.fix;
  const { spec } = WELL.async;
  expect(
    fixOf(
      withValues(spec, { "env.PROXY_SERVER_URL": "http://10.0.0.5:80" }),
      "env-PROXY_SERVER_URL",
    ),
  ).toMatchObject({ also: { "target.proxy_url": "http://10.0.0.5:80" } });
  expect(fixOf(withValues(spec, { "env.REMOTE_RETRIES": "7" }), "env-REMOTE_RETRIES")).toEqual({
    label: "Set the field instead",
    path: "env.REMOTE_RETRIES",
    also: { "rollout.retries": 7 },
  });
  const map = withValues(spec, { [`${O}+trainer`]: { a: { b: [1] }, logger: ["file"] } });
  expect(fixOf(map, "own-sections")?.also).toEqual({
    [`${O}++trainer.a.b`]: [1],
    [`${O}++trainer.logger`]: ["file"],
  });
});

test("variables of a local proxy, and modules beside LiveRL's, are the user's", () => {
  const spec = withValues(WELL.sync.spec, {
    "proxy.mode": "local",
    "env.LIVERL_PROXY_MODE": "local",
    "env.LLM_PROXY_IP": "10.0.0.5",
    "env.PYTHONPATH": "/mine",
    "env.VERL_USE_EXTERNAL_MODULES": "mine",
    [`${O}+actor_rollout_ref.model.override_config`]: { attn_implementation: "eager" },
  });
  const ids = judge(spec, SEEN).map(({ id }) => id);
  expect(ids.filter((id) => /^(env|own)-/.test(id))).toEqual([]);
});
