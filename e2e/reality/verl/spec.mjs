// The launch spec of one mode for verl on this machine's CPU: what the form sends, with the substitutes as overrides.
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
export const MODES = [
  "sync",
  "colocate_async",
  "separate_async",
  "v0",
  "one_step_off",
  "fully_async",
];
const OWN_POOL = ["separate_async", "one_step_off", "fully_async"];
/** Trainers that update twice a step. */
const HALF_BATCHES = ["separate_async", "fully_async"];

export function specOf(
  mode,
  { directory, name, steps, spyDir, env = {}, secondsPerToken = 0.002 },
) {
  const assets = join(directory, "assets");
  const hasOwnPool = OWN_POOL.includes(mode);
  const transfer = {
    "actor_rollout_ref.rollout.checkpoint_engine.backend": "cpu",
    "actor_rollout_ref.rollout.checkpoint_engine.custom_backend_module": "verl_cpu.ckpt_engine",
  };
  return {
    driver: "local-verl",
    target: { venv: join(directory, "venv"), python: null },
    project: "reality",
    name,
    seed: 1,
    verl: { version: "0.9.1", path: null },
    algorithm: {
      trainer_mode: mode,
      adv_estimator: "grpo",
      norm_adv_by_std_in_grpo: true,
      gamma: 1,
      lam: 1,
      loss_mode: "vanilla",
      loss_agg_mode: "token-mean",
      clip_ratio_low: 0.2,
      clip_ratio_high: 0.28,
      clip_ratio_c: 3,
      use_kl_loss: true,
      kl_loss_coef: 0.001,
      use_kl_in_reward: false,
      entropy_coeff: 0,
      rollout_is: null,
      rollout_is_threshold: 2,
      bypass_mode: mode === "fully_async",
    },
    async: {
      staleness_threshold: 0.5,
      trigger_parameter_sync_step: 2,
      require_batches: 1,
      partial_rollout: true,
      parameter_sync_step: 2,
      num_warmup_batches: 1,
      max_off_policy_threshold: 8,
      max_off_policy_strategy: "drop",
    },
    batch: {
      train_batch_size: 4,
      n: 2,
      ppo_mini_batch_size: HALF_BATCHES.includes(mode) ? 2 : 4,
      use_dynamic_bsz: false,
      ppo_max_token_len_per_gpu: 16_384,
      ppo_micro_batch_size_per_gpu: 2,
    },
    lengths: { max_prompt_length: 256, max_response_length: 256, max_model_len: 1024 },
    optim: { lr: 1e-5, grad_clip: 1, ppo_epochs: 1, lr_warmup_steps: -1, weight_decay: 0.01 },
    model: {
      path: join(assets, "model"),
      trust_remote_code: false,
      use_remove_padding: false,
    },
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
    layout: {
      nnodes: 1,
      n_gpus_per_node: 1,
      rollout_nnodes: hasOwnPool ? 1 : 0,
      rollout_n_gpus_per_node: hasOwnPool ? 1 : 0,
    },
    rollout: {
      name: "tiny",
      temperature: 1,
      top_p: 1,
      top_k: -1,
      tensor_parallel: 1,
      gpu_memory_utilization: 0.5,
      max_num_seqs: 256,
      max_num_batched_tokens: 8192,
      enforce_eager: false,
      free_cache_engine: true,
      agent_workers: 1,
      max_tokens: 24,
      max_turns: 2,
      timeout_s: 300,
      concurrency: 32,
      retries: 0,
    },
    data: {
      train_files: [join(assets, "train.parquet")],
      val_files: [join(assets, "val.parquet")],
      train_harbor_dir: null,
      val_harbor_dir: null,
      harbor_root: null,
      task_path_template: null,
      shuffle: false,
    },
    trainer: {
      total_training_steps: steps,
      test_freq: steps,
      save_freq: steps,
      val_before_train: true,
      max_actor_ckpt_to_keep: null,
      resume_mode: "auto",
      resume_from_path: null,
    },
    trajectory_filter: { enable: false, drop_reasons: [] },
    overrides: {
      "++actor_rollout_ref.model.override_config.attn_implementation": "sdpa",
      "actor_rollout_ref.actor.fsdp_config.use_torch_compile": false,
      "actor_rollout_ref.actor.use_torch_compile": false,
      "reward.num_workers": 1,
      "trainer.device": "cpu",
      "data.dataloader_num_workers": 0,
      "transfer_queue.backend.SimpleStorage.num_data_storage_units": 2,
      // Ray is told that it has what a GPU machine has.
      "++ray_kwargs.ray_init.num_gpus": 2,
      "ray_kwargs.ray_init.num_cpus": 40,
      "++ray_kwargs.ray_init.object_store_memory": 1_000_000_000,
      "++ray_kwargs.ray_init.include_dashboard": false,
      "++ray_kwargs.ray_init.address": "local",
      ...(hasOwnPool && transfer),
    },
    env: {
      PYTHONPATH: here.replace(/\/$/, ""),
      LD_LIBRARY_PATH: join(directory, "cudastub"),
      VERL_USE_EXTERNAL_MODULES: "verl_cpu.plugin,verl_cpu.spy",
      VERL_SPY_DIR: spyDir,
      VERL_PLATFORM: "cpu",
      VERL_ENGINE_DEVICE: "cuda",
      PYTHONDONTWRITEBYTECODE: "1",
      HF_HUB_OFFLINE: "1",
      OMP_NUM_THREADS: "1",
      MOCK_TOK_S: String(secondsPerToken),
      ...env,
    },
  };
}
