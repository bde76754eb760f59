/**
 * Names that launch scripts of verl and its recipes give to values of a spec, in the shell: the scripts' own
 * (TRAIN_BSZ, staleness_threshold), and those that the agent loop's adapter reads. Compared without regard to case.
 */
export const ENVIRONMENT_NAMES: Record<string, string> = {
  "trainer.project_name": "project",
  "trainer.experiment_name": "name",
  project_name: "project",
  exp_name: "name",
  experiment_name: "name",
  train_bsz: "batch.train_batch_size",
  train_batch_size: "batch.train_batch_size",
  train_prompt_bsz: "batch.train_batch_size",
  n_resp: "batch.n",
  n_resp_per_prompt: "batch.n",
  ppo_mini_batch_size: "batch.ppo_mini_batch_size",
  train_prompt_mini_bsz: "batch.ppo_mini_batch_size",
  use_dynamic_bsz: "batch.use_dynamic_bsz",
  ppo_max_token_len_per_gpu: "batch.ppo_max_token_len_per_gpu",
  actor_ppo_max_token_len: "batch.ppo_max_token_len_per_gpu",
  adv_estimator: "algorithm.adv_estimator",
  loss_mode: "algorithm.loss_mode",
  loss_agg_mode: "algorithm.loss_agg_mode",
  clip_ratio_low: "algorithm.clip_ratio_low",
  clip_ratio_high: "algorithm.clip_ratio_high",
  clip_ratio_c: "algorithm.clip_ratio_c",
  use_kl_loss: "algorithm.use_kl_loss",
  kl_loss_coef: "algorithm.kl_loss_coef",
  use_kl_in_reward: "algorithm.use_kl_in_reward",
  entropy_coeff: "algorithm.entropy_coeff",
  rollout_is: "algorithm.rollout_is",
  rollout_is_threshold: "algorithm.rollout_is_threshold",
  bypass_mode: "algorithm.bypass_mode",
  staleness_threshold: "async.staleness_threshold",
  trigger_parameter_sync_step: "async.trigger_parameter_sync_step",
  require_batches: "async.require_batches",
  partial_rollout: "async.partial_rollout",
  parameter_sync_step: "async.parameter_sync_step",
  max_prompt_length: "lengths.max_prompt_length",
  max_response_length: "lengths.max_response_length",
  max_model_len: "lengths.max_model_len",
  lr: "optim.lr",
  actor_lr: "optim.lr",
  model_path: "model.path",
  strategy: "engine.name",
  actor_strategy: "engine.name",
  fsdp_size: "engine.fsdp_size",
  sp_size: "engine.sp_size",
  ep_size: "engine.expert_parallel",
  optimizer_offload: "engine.optimizer_offload",
  param_offload: "engine.param_offload",
  router_replay_mode: "engine.router_replay",
  nnodes: "layout.nnodes",
  nnodes_train: "layout.nnodes",
  nnodes_rollout: "layout.rollout_nnodes",
  n_gpus: "layout.n_gpus_per_node",
  n_gpus_per_node: "layout.n_gpus_per_node",
  ngpus_per_node: "layout.n_gpus_per_node",
  n_gpus_rollout: "layout.rollout_n_gpus_per_node",
  gen_tp: "rollout.tensor_parallel",
  rollout_name: "rollout.name",
  temperature: "rollout.temperature",
  top_p: "rollout.top_p",
  top_k: "rollout.top_k",
  gpu_memory_utilization: "rollout.gpu_memory_utilization",
  remote_max_tokens: "rollout.max_tokens",
  remote_retries: "rollout.retries",
  remote_harbor_root: "data.harbor_root",
  remote_task_path_template: "data.task_path_template",
  train_file: "data.train_files",
  train_files: "data.train_files",
  test_file: "data.val_files",
  val_files: "data.val_files",
  train_harbor_dir: "data.train_harbor_dir",
  "data.train_harbor_dir": "data.train_harbor_dir",
  val_harbor_dir: "data.val_harbor_dir",
  "data.val_harbor_dir": "data.val_harbor_dir",
  total_training_steps: "trainer.total_training_steps",
  test_freq: "trainer.test_freq",
  save_freq: "trainer.save_freq",
  resume_mode: "trainer.resume_mode",
  traj_filter_enable: "trajectory_filter.enable",
  traj_filter_drop_reasons: "trajectory_filter.drop_reasons",
};

/** Of those, what the agent loop's adapter reads from its environment: they count wherever a script exports them. */
export const ADAPTER_NAMES: ReadonlySet<string> = new Set([
  "remote_max_tokens",
  "remote_retries",
  "remote_harbor_root",
  "remote_task_path_template",
  "train_harbor_dir",
  "val_harbor_dir",
  "traj_filter_enable",
  "traj_filter_drop_reasons",
]);

/** Names that are known and say nothing that a spec has: what to do instead. */
export const ENVIRONMENT_ELSEWHERE: readonly [pattern: RegExp, message: string][] = [
  [
    /^HARBOR_RECOMPUTE_MISMATCH_LOGPROBS$/,
    "is the proxy's: set LIVERL_RECOMPUTE_LOGPROBS where LiveRL starts",
  ],
  [
    /^RL_CLEAN_/,
    "has no effect: LiveRL ends only processes that it started, and preflight names what else holds the GPUs",
  ],
  [/^VERL_FILE_LOGGER_(PATH|ROOT)$/, "LiveRL reads the metrics from a file of its own"],
  [
    /^(REMOTE_(RUNNER_URL|AGENT_\w+|MODEL_NAME|WORKER_CONCURRENCY|PATIENCE_S)|LLM_PROXY_IP|LOCAL_IP|PROXY_SERVER_URL)$/,
    "LiveRL gives its own runner and proxy to the run",
  ],
  [/^(total_rollout_steps|gen_prompt_bsz)$/i, "follows from steps and batch: verl is given it"],
  [
    /^(CKPTS_DIR|RAY_DATA_HOME|WORKING_DIR|RUNTIME_ENV)$/,
    "LiveRL keeps a run's files in the run's own folder",
  ],
  [
    /(TOKEN|SECRET|PASSWORD|API_KEY|CREDENTIALS?)$/,
    "is a secret, and a spec is shown to everyone: set it where the job runs",
  ],
];

/** Variables of the libraries below verl: they go to its processes as they are, exported or not. */
export const ENVIRONMENT_PASSED =
  /^((NCCL|VLLM|SGLANG|CUDA|TORCH|PYTORCH|HF|TRANSFORMERS|TOKENIZERS|GLOO|OMP|FLASHINFER|TRITON|NVTE|HYDRA|WANDB|VERL|RAY|UCX|HCCL)_[A-Z0-9_]+|PYTHONPATH|LD_LIBRARY_PATH)$/;

/** Variables of the shell and the machine that it ran on: they mean nothing elsewhere, exported or not. */
export const ENVIRONMENT_OF_SHELL =
  /^(PATH|HOME|USER|SHELL|PWD|OLDPWD|TERM|LANG|LC_\w+|TMPDIR|VIRTUAL_ENV|CONDA_\w+|PS1|IFS|_)$/;

/** Keys of verl's config that LiveRL sets by itself, and where the same is said here. */
export const OWN_KEYS: readonly [pattern: RegExp, message: string][] = [
  [
    /^actor_rollout_ref\.rollout\.agent\.(agent_loop_config_path|default_agent_loop|agent_loop_manager_class)$/,
    "LiveRL's own agent loop runs the agents: choose rollout.agent",
  ],
  [/^trainer\.default_local_dir$/, "LiveRL keeps a run's checkpoints in the run's own folder"],
  [/^trainer\.total_epochs$/, "a run counts in steps: set trainer.total_training_steps"],
  [/^hydra\.run\.dir$/, "LiveRL keeps Hydra's own files in the run's folder"],
  [/^trainer\.use_v1$/, "algorithm.trainer_mode says which trainer runs"],
  [/^rollout\.total_rollout_steps$/, "follows from steps and batch: verl is given it"],
  [
    /^(data\.gen_batch_size|actor_rollout_ref\.hybrid_engine)$/,
    "follows from algorithm.trainer_mode",
  ],
];
