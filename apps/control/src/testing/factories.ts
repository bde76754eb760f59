import type { EmbeddedSpec } from "@liverl/contract/launch";
import type { TrialChange } from "@liverl/contract/rollout";
import type { LocalVerlSpec } from "@liverl/contract/verl-launch";

/** A small spec that passes the schema. */
export function launchSpec(change: Partial<EmbeddedSpec> = {}): EmbeddedSpec {
  return {
    project: "tests",
    name: "small",
    driver: "embedded",
    seed: 1,
    algorithm: {
      adv_estimator: "grpo",
      trainer_mode: "sync",
      loss_mode: "vanilla",
      norm_adv_by_std_in_grpo: true,
      gamma: 1,
      lam: 1,
      clip_ratio_low: 0.2,
      clip_ratio_high: 0.28,
      kl_loss_coef: 0,
      entropy_coeff: 0,
    },
    critic: { lr: 0.01, grad_clip: 1, ppo_epochs: 4, cliprange_value: 0.5, critic_warmup: 0 },
    async: {
      staleness_threshold: 0.5,
      trigger_parameter_sync_step: 2,
      require_batches: 1,
      partial_rollout: true,
    },
    batch: { train_batch_size: 2, n: 4 },
    optim: { lr: 0.001, grad_clip: 1, ppo_epochs: 1 },
    model: { warmup_steps: 10 },
    rollout: { engines: 1, temperature: 1, max_tokens: 48, max_turns: 5, concurrency: 8 },
    trainer: {
      total_training_steps: 4,
      test_freq: 2,
      save_freq: 2,
      val_tasks: 8,
      stop_at_val_reward: null,
      resume_from_path: null,
    },
    trajectory_filter: { enable: false, drop_reasons: ["timeout"] },
    ...change,
  };
}

/** A finished training rollout `<runId>.s<step>.g<group>.r<index>` as the runner's feed has it. */
export function trialChange({
  runId,
  step,
  group,
  index,
  ...change
}: {
  runId: string;
  step: number;
  group: number;
  index: number;
  cursor: number;
} & Partial<TrialChange>): TrialChange {
  const groupId = `${runId}.s${step}.g${group}`;
  const rolloutId = `${groupId}.r${index}`;
  return {
    rolloutId,
    sessionId: `${rolloutId}-a1`,
    runId,
    groupId,
    taskId: `repair/${step * 100 + group}`,
    taskName: `repair-${step * 100 + group}`,
    mode: "train",
    step,
    attempt: 1,
    status: "succeeded",
    reward: 1,
    termination: "agent-finished",
    error: null,
    turns: 3,
    tokensSampled: 30,
    tokensTotal: 120,
    versionSpan: [step, step],
    truncated: false,
    keptSegments: 0,
    untrained: { reasons: {}, lossy: 0 },
    flags: [],
    routingCoverage: null,
    timings: { queueS: 0.1, setupS: 0.1, agentS: 1, generateS: 0.8, toolS: 0.2, verifyS: 0.05 },
    queuedAt: "2026-01-01T00:00:00.000Z",
    startedAt: "2026-01-01T00:00:00.100Z",
    endedAt: "2026-01-01T00:00:01.250Z",
    directory: null,
    ...change,
  };
}

/** A local verl spec that passes the schema; `venv` is where its interpreter lies. */
export function verlSpec(venv: string, change: Partial<LocalVerlSpec> = {}): LocalVerlSpec {
  return {
    driver: "local-verl",
    target: { venv, python: null },
    project: "tests",
    name: "small-verl",
    seed: 1,
    verl: { version: "0.9.1", path: null },
    algorithm: {
      trainer_mode: "sync",
      adv_estimator: "grpo",
      norm_adv_by_std_in_grpo: true,
      gamma: 1,
      lam: 1,
      loss_mode: "vanilla",
      loss_agg_mode: "token-mean",
      clip_ratio_low: 0.2,
      clip_ratio_high: 0.28,
      clip_ratio_c: 3,
      use_kl_loss: false,
      kl_loss_coef: 0.001,
      use_kl_in_reward: false,
      entropy_coeff: 0,
      rollout_is: null,
      rollout_is_threshold: 2,
      bypass_mode: false,
    },
    async: {
      staleness_threshold: 0.5,
      trigger_parameter_sync_step: 2,
      require_batches: 1,
      partial_rollout: true,
      parameter_sync_step: 2,
      num_warmup_batches: 1,
      max_off_policy_threshold: null,
      max_off_policy_strategy: "drop",
    },
    batch: {
      train_batch_size: 8,
      n: 4,
      ppo_mini_batch_size: 8,
      use_dynamic_bsz: true,
      ppo_max_token_len_per_gpu: 16_384,
      ppo_micro_batch_size_per_gpu: null,
    },
    lengths: { max_prompt_length: 512, max_response_length: 512, max_model_len: null },
    optim: { lr: 1e-6, grad_clip: 1, ppo_epochs: 1, lr_warmup_steps: -1, weight_decay: 0.01 },
    model: { path: "/models/tiny", trust_remote_code: false, use_remove_padding: true },
    engine: {
      name: "fsdp2",
      fsdp_size: -1,
      param_offload: false,
      optimizer_offload: false,
      sp_size: 1,
      tensor_parallel: 1,
      pipeline_parallel: 1,
      context_parallel: 1,
      expert_parallel: 1,
      router_replay: "disabled",
    },
    layout: { nnodes: 1, n_gpus_per_node: 8, rollout_nnodes: 0, rollout_n_gpus_per_node: 0 },
    rollout: {
      name: "vllm",
      temperature: 1,
      top_p: 1,
      top_k: -1,
      tensor_parallel: 1,
      gpu_memory_utilization: 0.5,
      max_num_seqs: 256,
      max_num_batched_tokens: 8192,
      enforce_eager: false,
      free_cache_engine: true,
      agent_workers: 8,
      max_tokens: null,
      max_turns: 10,
      timeout_s: 600,
      concurrency: 64,
      retries: 1,
      agent: "mini",
    },
    proxy: { mode: "server" },
    data: {
      train_files: ["/data/train.parquet"],
      val_files: ["/data/val.parquet"],
      train_harbor_dir: null,
      val_harbor_dir: null,
      harbor_root: null,
      task_path_template: null,
      shuffle: true,
    },
    trainer: {
      total_training_steps: 4,
      test_freq: -1,
      save_freq: -1,
      val_before_train: false,
      max_actor_ckpt_to_keep: null,
      resume_mode: "auto",
      resume_from_path: null,
    },
    trajectory_filter: { enable: false, drop_reasons: [] },
    overrides: {},
    env: {},
    ...change,
  };
}
