import type {
  KubeRaySpec,
  LocalVerlSpec,
  RayJobSpec,
  VerlSpec,
} from "@liverl/contract/verl-launch";

type Values = Omit<LocalVerlSpec, "driver" | "target">;

/**
 * What verl 0.9.1 itself takes for each value, where it has one (VERL_KEYS names the key; a test compares them). What
 * verl has no default for, or no word, has ours: the names, the seed, the engine, the attempt's limits.
 */
const VALUES: Values = {
  project: "verl",
  name: "verl",
  seed: 1,
  verl: { version: "0.9.1", path: null },
  algorithm: {
    trainer_mode: "sync",
    adv_estimator: "gae",
    norm_adv_by_std_in_grpo: true,
    gamma: 1,
    lam: 1,
    loss_mode: "vanilla",
    loss_agg_mode: "token-mean",
    clip_ratio_low: 0.2,
    clip_ratio_high: 0.2,
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
    staleness_threshold: 0.1,
    trigger_parameter_sync_step: 4,
    require_batches: 1,
    partial_rollout: true,
    parameter_sync_step: 4,
    num_warmup_batches: 1,
    max_off_policy_threshold: 8,
    max_off_policy_strategy: "drop",
  },
  batch: {
    train_batch_size: 1024,
    n: 1,
    ppo_mini_batch_size: 256,
    use_dynamic_bsz: false,
    ppo_max_token_len_per_gpu: 16_384,
    ppo_micro_batch_size_per_gpu: null,
  },
  lengths: { max_prompt_length: 512, max_response_length: 512, max_model_len: null },
  optim: { lr: 1e-6, grad_clip: 1, ppo_epochs: 1, lr_warmup_steps: -1, weight_decay: 0.01 },
  model: {
    path: "~/models/deepseek-llm-7b-chat",
    trust_remote_code: false,
    use_remove_padding: true,
  },
  engine: {
    name: "fsdp",
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
  layout: { nnodes: 1, n_gpus_per_node: 8, rollout_nnodes: 0, rollout_n_gpus_per_node: 8 },
  rollout: {
    name: "vllm",
    temperature: 1,
    top_p: 1,
    top_k: -1,
    tensor_parallel: 2,
    gpu_memory_utilization: 0.5,
    max_num_seqs: 256,
    max_num_batched_tokens: 8192,
    enforce_eager: false,
    free_cache_engine: true,
    agent_workers: 8,
    max_tokens: null,
    max_turns: 100,
    timeout_s: 2400,
    concurrency: 64,
    retries: 2,
    agent: "mini",
  },
  proxy: { mode: "server" },
  data: {
    train_files: ["~/data/rlhf/gsm8k/train.parquet"],
    val_files: ["~/data/rlhf/gsm8k/test.parquet"],
    train_harbor_dir: null,
    val_harbor_dir: null,
    harbor_root: null,
    task_path_template: null,
    shuffle: true,
  },
  trainer: {
    total_training_steps: 100,
    test_freq: -1,
    save_freq: -1,
    val_before_train: true,
    max_actor_ckpt_to_keep: null,
    resume_mode: "auto",
    resume_from_path: null,
  },
  trajectory_filter: { enable: false, drop_reasons: ["timeout", "env_setup_failed"] },
  overrides: {},
  env: {},
};

export const LOCAL_VERL_DEFAULTS: LocalVerlSpec = {
  driver: "local-verl",
  target: { venv: null, python: null },
  ...VALUES,
};

export const RAY_JOB_DEFAULTS: RayJobSpec = {
  driver: "ray-job",
  target: {
    address: "http://127.0.0.1:8265",
    token_path: null,
    python: "python3",
    entrypoint_num_cpus: 1,
    runner_url: null,
    proxy_url: null,
  },
  ...VALUES,
};

export const KUBERAY_DEFAULTS: KubeRaySpec = {
  driver: "kuberay",
  target: {
    kubeconfig: null,
    context: null,
    namespace: "default",
    image: "verl:0.9.1",
    ray_version: "2.58.0",
    python: "python3",
    head_cpu: 32,
    head_memory_gb: 128,
    worker_cpu: 64,
    worker_memory_gb: 512,
    pre_running_deadline_s: 1800,
    volumes: [],
    runner_url: null,
    proxy_url: null,
  },
  ...VALUES,
};

/** One whole spec of each verl driver: what a value is when neither preset, parent nor person says otherwise. */
export const VERL_DEFAULTS: readonly VerlSpec[] = [
  LOCAL_VERL_DEFAULTS,
  RAY_JOB_DEFAULTS,
  KUBERAY_DEFAULTS,
];
