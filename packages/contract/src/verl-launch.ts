import { z } from "zod";
import { NO_NUL, noNul, OverrideValue } from "#override-value.ts";
import { AgentChoice } from "#proxy-admin.ts";
import { IntegrityKind } from "#rollout.ts";
import { Termination } from "#trajectory.ts";

/** verl's six trainers, by the names that the launch form and the adapter use. */
export const VERL_MODES = [
  "sync",
  "colocate_async",
  "separate_async",
  "v0",
  "one_step_off",
  "fully_async",
] as const;
export type VerlMode = (typeof VERL_MODES)[number];

/** Trainers that take one row a rollout and die of an exception of their agent loop. */
export const SINGLE_OUTPUT_MODES: readonly VerlMode[] = ["v0", "one_step_off", "fully_async"];
/** Estimators of verl 0.9.1 that compare the rollouts of a group; each has a twin that knows stand-ins, `liverl_<name>`. */
export const COMPARING_ESTIMATORS: readonly string[] = [
  "grpo",
  "grpo_passk",
  "grpo_vectorized",
  "rloo",
  "rloo_vectorized",
  "opo",
  "reinforce_plus_plus_baseline",
  "gpg",
];
/** Trainers with engines of their own, beside those of the trainer. */
export const SEPARATE_ROLLOUT_MODES: readonly VerlMode[] = [
  "separate_async",
  "one_step_off",
  "fully_async",
];

/** What `trajectory_filter.drop_reasons` may name, with `-` or `_`: how a rollout ended, and signs that its reward was not earned. */
export const DROP_REASONS: readonly string[] = [
  ...Termination.options,
  // Of other trainers' scripts; such a rollout never has a reward here.
  "env-setup-failed",
  "integrity",
  ...IntegrityKind.options.map((kind) => `integrity-${kind}`),
];

export const DropReasons = z.array(z.string().regex(/^[a-z][a-z_-]{0,60}$/)).max(50);

const count = (least: number, most: number) => z.number().int().min(least).max(most);
const share = z.number().min(0).max(1);
const Path = z.string().min(1).max(4000).regex(NO_NUL, noNul);
const algorithm = z.strictObject({
  trainer_mode: z.enum(VERL_MODES),
  /** `grpo`: baseline of the group; `gae`: a critic, which is PPO. */
  adv_estimator: z.enum(["grpo", "gae", "rloo", "reinforce_plus_plus", "remax", "opo"]),
  norm_adv_by_std_in_grpo: z.boolean(),
  gamma: share,
  lam: share,
  /** `gspo` takes the ratio of whole sequences (arXiv 2507.18071). */
  loss_mode: z.enum(["vanilla", "gspo", "clip_cov", "kl_cov", "geo_mean", "cispo", "sapo"]),
  loss_agg_mode: z.enum([
    "token-mean",
    "token-sum",
    "seq-mean-token-sum",
    "seq-mean-token-mean",
    "seq-mean-token-sum-norm",
  ]),
  clip_ratio_low: z.number().min(0).max(1),
  clip_ratio_high: z.number().min(0).max(10),
  clip_ratio_c: z.number().gt(1).max(1000),
  use_kl_loss: z.boolean(),
  kl_loss_coef: z.number().min(0).max(10),
  use_kl_in_reward: z.boolean(),
  entropy_coeff: z.number().min(0).max(1),
  /** Correction of what rollout and trainer give the same token. */
  rollout_is: z.enum(["token", "sequence"]).nullable(),
  rollout_is_threshold: z.number().positive().max(1000),
  /** Takes the engine's log-probs for the old policy's: rollout_corr/kl is not measured then. */
  bypass_mode: z.boolean(),
});

/** Values of the three asynchronous families; the others' stand unused. */
const asynchronous = z.strictObject({
  /** fully_async: rollouts may be this many parameter versions behind; 0 waits. */
  staleness_threshold: z.number().min(0).max(100),
  trigger_parameter_sync_step: count(1, 10_000),
  require_batches: count(1, 1000),
  partial_rollout: z.boolean(),
  /** separate_async: updates between two weight syncs. */
  parameter_sync_step: count(1, 10_000),
  num_warmup_batches: count(0, 1000),
  max_off_policy_threshold: count(0, 1000).nullable(),
  max_off_policy_strategy: z.enum(["drop", "wait"]),
});

const engine = z.strictObject({
  name: z.enum(["fsdp", "fsdp2", "veomni", "megatron"]),
  fsdp_size: z.number().int().min(-1).max(100_000),
  param_offload: z.boolean(),
  optimizer_offload: z.boolean(),
  /** Ulysses: parts of one sequence on several GPUs. */
  sp_size: count(1, 1024),
  tensor_parallel: count(1, 1024),
  pipeline_parallel: count(1, 1024),
  context_parallel: count(1, 1024),
  expert_parallel: count(1, 1024),
  router_replay: z.enum(["disabled", "R2", "R3"]),
});

const shape = {
  project: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9._-]{0,62}$/,
      "lower-case letters, digits, '.', '_' or '-', 63 at most",
    ),
  name: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9._-]{0,62}$/,
      "lower-case letters, digits, '.', '_' or '-', 63 at most",
    ),
  seed: count(0, 2 ** 31 - 1),
  verl: z.strictObject({
    version: z.string().regex(/^\d{1,9}\.\d{1,9}\.\d[A-Za-z0-9.+-]{0,60}$/, "a release, as 0.9.1"),
    /** A checkout that stands before the installed one on PYTHONPATH; null uses the installed one. */
    path: Path.nullable(),
  }),
  algorithm,
  async: asynchronous,
  batch: z.strictObject({
    /** Prompts a step. */
    train_batch_size: count(1, 100_000),
    /** Rollouts a prompt. */
    n: count(1, 1024),
    /** Prompts an optimizer step. */
    ppo_mini_batch_size: count(1, 100_000),
    use_dynamic_bsz: z.boolean(),
    /** Tokens of one pass on a GPU, with use_dynamic_bsz. */
    ppo_max_token_len_per_gpu: count(1, 100_000_000),
    /** Rows of one pass on a GPU, without. */
    ppo_micro_batch_size_per_gpu: count(1, 100_000).nullable(),
  }),
  lengths: z.strictObject({
    max_prompt_length: count(1, 10_000_000),
    max_response_length: count(1, 10_000_000),
    /** The engine's window; null: prompt and response together. */
    max_model_len: count(1, 10_000_000).nullable(),
  }),
  optim: z.strictObject({
    lr: z.number().positive().max(1),
    grad_clip: z.number().positive().max(1000),
    ppo_epochs: count(1, 100),
    lr_warmup_steps: z.number().int().min(-1).max(1_000_000),
    weight_decay: share,
  }),
  model: z.strictObject({
    /** A folder in Hugging Face form that trainer, engines and proxy can read. */
    path: Path,
    trust_remote_code: z.boolean(),
    use_remove_padding: z.boolean(),
  }),
  engine,
  layout: z.strictObject({
    nnodes: count(1, 10_000),
    n_gpus_per_node: count(1, 64),
    /** The rollout pool of separate_async, one_step_off and fully_async. */
    rollout_nnodes: count(0, 10_000),
    rollout_n_gpus_per_node: count(0, 64),
  }),
  rollout: z.strictObject({
    name: z.string().min(1).max(60),
    temperature: z.number().positive().max(5),
    top_p: z.number().gt(0).max(1),
    top_k: z.number().int().min(-1).max(10_000_000),
    tensor_parallel: count(1, 1024),
    gpu_memory_utilization: z.number().gt(0).max(1),
    max_num_seqs: count(1, 1_000_000),
    max_num_batched_tokens: count(1, 100_000_000),
    enforce_eager: z.boolean(),
    free_cache_engine: z.boolean(),
    agent_workers: count(1, 10_000),
    /** Sampled tokens of one turn; null: what the response has left. */
    max_tokens: count(1, 10_000_000).nullable(),
    /** Most turns of one attempt. */
    max_turns: count(1, 100_000),
    /** Seconds that one attempt may take. */
    timeout_s: count(1, 1_000_000),
    /** Attempts in flight at the trial runner. */
    concurrency: count(1, 100_000),
    /** Times that a rollout which infrastructure failed is asked for again. */
    retries: count(0, 100),
    /** Who works on tasks in Harbor's format. */
    agent: AgentChoice.default("mini"),
  }),
  proxy: z
    .strictObject({
      /** `server`: LiveRL's own; `local`: one on each host of the trainer, started by its first rollout worker. */
      mode: z.enum(["server", "local"]),
    })
    .default({ mode: "server" }),
  data: z.strictObject({
    train_files: z.array(Path).max(1000),
    val_files: z.array(Path).max(1000),
    /** A folder of Harbor tasks, scanned into a cached parquet; it goes before the files. */
    train_harbor_dir: Path.nullable(),
    val_harbor_dir: Path.nullable(),
    harbor_root: Path.nullable(),
    task_path_template: z.string().min(1).max(4000).nullable(),
    shuffle: z.boolean(),
  }),
  trainer: z.strictObject({
    total_training_steps: count(1, 10_000_000),
    test_freq: z.number().int().min(-1).max(1_000_000),
    save_freq: z.number().int().min(-1).max(1_000_000),
    val_before_train: z.boolean(),
    max_actor_ckpt_to_keep: count(1, 100_000).nullable(),
    resume_mode: z.enum(["auto", "disable", "resume_path"]),
    resume_from_path: Path.nullable(),
  }),
  trajectory_filter: z.strictObject({
    enable: z.boolean(),
    /** Ends of a rollout that keep it out of the update: timeout, env_setup_failed, … */
    drop_reasons: DropReasons,
  }),
  /** Any other key of verl's config, as on its command line; these win. */
  overrides: z.record(z.string().regex(/^[+~]{0,2}[A-Za-z_][A-Za-z0-9_./@-]*$/), OverrideValue),
  env: z.record(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/),
    z.string().max(10_000).regex(NO_NUL, noNul),
  ),
};

/** verl as a process of this machine. */
export const LocalVerlSpec = z.strictObject({
  driver: z.literal("local-verl"),
  target: z.strictObject({
    /** A folder with a Python environment that has verl; null: LiveRL makes one. */
    venv: Path.nullable(),
    /** The interpreter that the environment is made with; null: the newest of 3.10 to 3.12 on PATH. */
    python: Path.nullable(),
  }),
  ...shape,
});
export type LocalVerlSpec = z.infer<typeof LocalVerlSpec>;

/** LiveRL's data plane as the cluster's nodes dial it; null where they are this machine. */
const dataPlane = {
  runner_url: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null),
  proxy_url: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null),
};

/** verl as a job of a Ray cluster, by its Jobs REST API. */
export const RayJobSpec = z.strictObject({
  driver: z.literal("ray-job"),
  target: z.strictObject({
    address: z
      .url({ protocol: /^https?$/ })
      .regex(
        /^\w+:\/\/[^/@]*(\/|$)/,
        "no user and no password in the address: token_path names a file",
      ),
    /** File with the cluster's token; null where it has none. */
    token_path: Path.nullable(),
    /** The interpreter on the cluster's nodes. */
    python: Path,
    entrypoint_num_cpus: z.number().min(0).max(1024),
    ...dataPlane,
  }),
  ...shape,
});
export type RayJobSpec = z.infer<typeof RayJobSpec>;

/** verl as a RayJob custom resource of a Kubernetes cluster with KubeRay. */
export const KubeRaySpec = z.strictObject({
  driver: z.literal("kuberay"),
  target: z.strictObject({
    /** Null: KUBECONFIG, the default file, or the cluster that LiveRL runs in. */
    kubeconfig: Path.nullable(),
    context: z.string().min(1).max(500).nullable(),
    namespace: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "a namespace's name"),
    image: z.string().min(1).max(500),
    ray_version: z.string().regex(/^\d+\.\d+\.\d+$/, "a release, as 2.58.0"),
    python: Path,
    head_cpu: z.number().positive().max(1024),
    head_memory_gb: z.number().positive().max(100_000),
    worker_cpu: z.number().positive().max(1024),
    worker_memory_gb: z.number().positive().max(100_000),
    pre_running_deadline_s: count(60, 1_000_000),
    /** PersistentVolumeClaims that every node mounts: models, datasets, checkpoints. */
    volumes: z
      .array(
        z
          .string()
          .max(4000)
          .regex(
            /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?:\/[^:]+$/,
            "a claim and where it is mounted, as models:/models",
          ),
      )
      .max(20)
      .default([]),
    ...dataPlane,
  }),
  ...shape,
});
export type KubeRaySpec = z.infer<typeof KubeRaySpec>;

export type VerlSpec = LocalVerlSpec | RayJobSpec | KubeRaySpec;

/** Boot phases of the verl drivers, in order. */
export const VERL_BOOT_PHASES = [
  { id: "preflight", label: "Preflight" },
  { id: "venv", label: "Python environment" },
  { id: "ray", label: "Ray" },
  { id: "placement", label: "Placement group" },
  { id: "model", label: "Model load" },
  { id: "graphs", label: "CUDA graph capture" },
  { id: "engines", label: "Engines registered" },
  { id: "proxy", label: "Proxy ready" },
  { id: "rollouts", label: "First rollout" },
  { id: "update", label: "First update" },
] as const;
