import type { OverrideValue } from "@liverl/contract/override-value";
import {
  COMPARING_ESTIMATORS,
  SEPARATE_ROLLOUT_MODES,
  SINGLE_OUTPUT_MODES,
  type VerlMode,
  type VerlSpec,
} from "@liverl/contract/verl-launch";

/** Where the job finds and leaves its files: paths on the machine that it runs on. */
export interface VerlPlaces {
  agentLoops: string;
  checkpoints: string;
  /** Null: no text dumps. */
  rolloutDumps: string | null;
  validationDumps: string | null;
  hydra: string;
  trainFiles: readonly string[];
  valFiles: readonly string[];
}

type Overrides = [key: string, value: OverrideValue][];

/** The agent loop's name in `agent_loops.yaml`, for rows that name none. */
export const AGENT_LOOP = "liverl";

export const VERL_MODULES: Record<VerlMode, string> = {
  sync: "verl.trainer.main_ppo",
  colocate_async: "verl.trainer.main_ppo",
  separate_async: "verl.trainer.main_ppo",
  v0: "verl.trainer.main_ppo",
  one_step_off: "verl.experimental.one_step_off_policy.main_ppo",
  fully_async: "verl.experimental.fully_async_policy.fully_async_main",
};

/**
 * A spec as overrides of verl's config, last one wins. `resumePath`: a `global_step_N` folder to go on from instead of
 * what the spec says. Pure.
 */
export function buildVerlOverrides(
  spec: VerlSpec,
  places: VerlPlaces,
  resumePath: string | null,
): Overrides {
  const all: Overrides = [
    ...modeOverrides(spec),
    ...algorithmOverrides(spec),
    ...dataOverrides(spec, places),
    ...modelOverrides(spec),
    ...criticOverrides(spec),
    ...actorOverrides(spec),
    ...engineOverrides(spec),
    ...rolloutOverrides(spec, places),
    ...trainerOverrides(spec, places, resumePath),
  ];
  return withOwn(all, spec.overrides);
}

/** The user's own come last and win: Hydra takes a key once, whether it is added (`+`) or replaced. */
function withOwn(all: Overrides, own: VerlSpec["overrides"]): Overrides {
  const bare = (key: string) => key.replace(/^[+~]+/, "");
  const replaced = new Set(Object.keys(own).map(bare));
  return [...all.filter(([key]) => !replaced.has(bare(key))), ...Object.entries(own)];
}

const ROLLOUT = "actor_rollout_ref.rollout";
const ACTOR = "actor_rollout_ref.actor";

function modeOverrides({ algorithm, async, batch, layout, trainer }: VerlSpec): Overrides {
  const mode = algorithm.trainer_mode;
  const ownPool: Overrides = [
    ["rollout.nnodes", layout.rollout_nnodes],
    ["rollout.n_gpus_per_node", layout.rollout_n_gpus_per_node],
  ];
  const transfer: Overrides = SEPARATE_ROLLOUT_MODES.includes(mode)
    ? [[`${ROLLOUT}.checkpoint_engine.backend`, "nccl"]]
    : [];
  const offPolicy: Overrides = [
    ["trainer.v1.sampler.max_off_policy_threshold", async.max_off_policy_threshold],
    ["trainer.v1.sampler.max_off_policy_strategy", async.max_off_policy_strategy],
  ];
  switch (mode) {
    case "sync":
      // A group of which nothing is left is sampled again; without this the job dies of it.
      return [
        ["trainer.v1.trainer_mode", "sync"],
        ["trainer.v1.sampler.sync_refill_failed_groups", true],
      ];
    case "colocate_async":
      return [
        ["trainer.v1.trainer_mode", "colocate_async"],
        ["trainer.v1.colocate_async.num_warmup_batches", async.num_warmup_batches],
        ...offPolicy,
      ];
    case "separate_async":
      return [
        ["trainer.v1.trainer_mode", "separate_async"],
        ["trainer.v1.separate_async.parameter_sync_step", async.parameter_sync_step],
        ["trainer.v1.separate_async.num_warmup_batches", async.num_warmup_batches],
        [`${ROLLOUT}.nnodes`, layout.rollout_nnodes],
        [`${ROLLOUT}.n_gpus_per_node`, layout.rollout_n_gpus_per_node],
        ...transfer,
        ...offPolicy,
      ];
    case "v0":
      return [["trainer.use_v1", false]];
    case "one_step_off":
      // Its config looks for verl's own below the working directory.
      return [
        ["hydra.searchpath", ["pkg://verl.trainer.config"]],
        ["actor_rollout_ref.hybrid_engine", false],
        ...ownPool,
        ...transfer,
      ];
    case "fully_async":
      return [
        ["hydra.searchpath", ["pkg://verl.trainer.config"]],
        ["actor_rollout_ref.hybrid_engine", false],
        ["data.gen_batch_size", 1],
        // Without it every row's agent is single_turn_agent.
        [`${ROLLOUT}.multi_turn.enable`, true],
        ...ownPool,
        ["rollout.total_rollout_steps", totalRolloutSteps({ async, batch, trainer })],
        ["async_training.staleness_threshold", async.staleness_threshold],
        ["async_training.trigger_parameter_sync_step", async.trigger_parameter_sync_step],
        ["async_training.require_batches", async.require_batches],
        ["async_training.partial_rollout", async.partial_rollout],
        ...transfer,
      ];
  }
}

/** fully_async counts prompts; a step is a parameter version: `required × trigger` of them. */
export function totalRolloutSteps({
  async,
  batch,
  trainer,
}: Pick<VerlSpec, "async" | "batch" | "trainer">): number {
  const required = batch.ppo_mini_batch_size * async.require_batches;
  return trainer.total_training_steps * required * async.trigger_parameter_sync_step;
}

/**
 * Epochs that hold every step, whatever the dataset: an epoch has at least one batch (fully_async: one prompt), and verl
 * ends after its epochs, 30 by itself, though steps are missing. One more, for trainers that draw a batch ahead.
 */
function enoughEpochs(spec: VerlSpec): number {
  return 1 + batchesNeeded(spec);
}

/** Batches that verl draws from its dataset over the whole run, of `train_batch_size` prompts; of one in fully_async. */
export function batchesNeeded(spec: VerlSpec): number {
  return spec.algorithm.trainer_mode === "fully_async"
    ? totalRolloutSteps(spec)
    : spec.trainer.total_training_steps;
}

function algorithmOverrides({ algorithm }: VerlSpec): Overrides {
  const { trainer_mode, adv_estimator } = algorithm;
  // Trainers that need a stand-in for a failed rollout: ours leaves it out of its group.
  const estimator =
    COMPARING_ESTIMATORS.includes(adv_estimator) && SINGLE_OUTPUT_MODES.includes(trainer_mode)
      ? `liverl_${adv_estimator}`
      : adv_estimator;
  return [
    ["algorithm.adv_estimator", estimator],
    ["algorithm.norm_adv_by_std_in_grpo", algorithm.norm_adv_by_std_in_grpo],
    ["algorithm.gamma", algorithm.gamma],
    ["algorithm.lam", algorithm.lam],
    ["algorithm.use_kl_in_reward", algorithm.use_kl_in_reward],
    ["algorithm.rollout_correction.rollout_is", algorithm.rollout_is],
    ["algorithm.rollout_correction.rollout_is_threshold", algorithm.rollout_is_threshold],
    ["algorithm.rollout_correction.bypass_mode", algorithm.bypass_mode],
  ];
}

function dataOverrides({ algorithm, batch, data, lengths, seed }: VerlSpec, places: VerlPlaces) {
  const isFullyAsync = algorithm.trainer_mode === "fully_async";
  const overrides: Overrides = [
    ["data.train_files", [...places.trainFiles]],
    ["data.val_files", [...places.valFiles]],
    ["data.train_batch_size", isFullyAsync ? 0 : batch.train_batch_size],
    ["data.max_prompt_length", lengths.max_prompt_length],
    ["data.max_response_length", lengths.max_response_length],
    ["data.shuffle", data.shuffle],
    ["data.seed", seed],
  ];
  return overrides;
}

function modelOverrides({ model }: VerlSpec): Overrides {
  return [
    ["actor_rollout_ref.model.path", model.path],
    ["actor_rollout_ref.model.trust_remote_code", model.trust_remote_code],
    ["actor_rollout_ref.model.use_remove_padding", model.use_remove_padding],
  ];
}

/** With `gae` alone; it begins from the policy's weights. */
function criticOverrides({ algorithm, batch, model, optim }: VerlSpec): Overrides {
  if (algorithm.adv_estimator !== "gae") return [];
  const pass: [string, OverrideValue] = batch.use_dynamic_bsz
    ? ["critic.ppo_max_token_len_per_gpu", batch.ppo_max_token_len_per_gpu]
    : ["critic.ppo_micro_batch_size_per_gpu", batch.ppo_micro_batch_size_per_gpu];
  return [
    ["critic.model.path", model.path],
    ["critic.model.trust_remote_code", model.trust_remote_code],
    ["critic.model.use_remove_padding", model.use_remove_padding],
    ["critic.optim.clip_grad", optim.grad_clip],
    pass,
  ];
}

function actorOverrides({ algorithm, batch, optim }: VerlSpec): Overrides {
  const passes: Overrides = batch.use_dynamic_bsz
    ? [
        [`${ACTOR}.use_dynamic_bsz`, true],
        [`${ACTOR}.ppo_max_token_len_per_gpu`, batch.ppo_max_token_len_per_gpu],
        [`${ROLLOUT}.log_prob_use_dynamic_bsz`, true],
        [`${ROLLOUT}.log_prob_max_token_len_per_gpu`, batch.ppo_max_token_len_per_gpu],
        ["actor_rollout_ref.ref.log_prob_use_dynamic_bsz", true],
        ["actor_rollout_ref.ref.log_prob_max_token_len_per_gpu", batch.ppo_max_token_len_per_gpu],
      ]
    : [
        [`${ACTOR}.use_dynamic_bsz`, false],
        [`${ACTOR}.ppo_micro_batch_size_per_gpu`, batch.ppo_micro_batch_size_per_gpu],
        [`${ROLLOUT}.log_prob_micro_batch_size_per_gpu`, batch.ppo_micro_batch_size_per_gpu],
        [
          "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu",
          batch.ppo_micro_batch_size_per_gpu,
        ],
      ];
  return [
    [`${ACTOR}.ppo_mini_batch_size`, batch.ppo_mini_batch_size],
    ...passes,
    [`${ACTOR}.ppo_epochs`, optim.ppo_epochs],
    [`${ACTOR}.optim.clip_grad`, optim.grad_clip],
    [`${ACTOR}.optim.lr`, optim.lr],
    [`${ACTOR}.optim.lr_warmup_steps`, optim.lr_warmup_steps],
    [`${ACTOR}.optim.weight_decay`, optim.weight_decay],
    [`${ACTOR}.policy_loss.loss_mode`, algorithm.loss_mode],
    [`${ACTOR}.loss_agg_mode`, algorithm.loss_agg_mode],
    [`${ACTOR}.clip_ratio_low`, algorithm.clip_ratio_low],
    [`${ACTOR}.clip_ratio_high`, algorithm.clip_ratio_high],
    [`${ACTOR}.clip_ratio_c`, algorithm.clip_ratio_c],
    [`${ACTOR}.entropy_coeff`, algorithm.entropy_coeff],
    [`${ACTOR}.use_kl_loss`, algorithm.use_kl_loss],
    [`${ACTOR}.kl_loss_coef`, algorithm.kl_loss_coef],
  ];
}

function engineOverrides({ algorithm, engine }: VerlSpec): Overrides {
  const roles = ["actor", "ref"].map((role) => `actor_rollout_ref.${role}`);
  if (algorithm.adv_estimator === "gae") roles.push("critic");
  const each = (build: (role: string) => Overrides): Overrides => roles.flatMap(build);
  const replay: Overrides =
    engine.router_replay === "disabled"
      ? []
      : [[`${ACTOR}.${engine.name}.router_replay.mode`, engine.router_replay]];
  if (engine.name === "megatron") {
    return [
      ["model_engine", "megatron"],
      ...each((role) => [
        [`${role}.megatron.tensor_model_parallel_size`, engine.tensor_parallel],
        [`${role}.megatron.pipeline_model_parallel_size`, engine.pipeline_parallel],
        [`${role}.megatron.context_parallel_size`, engine.context_parallel],
        [`${role}.megatron.expert_model_parallel_size`, engine.expert_parallel],
        [`${role}.megatron.param_offload`, engine.param_offload],
      ]),
      [`${ACTOR}.megatron.optimizer_offload`, engine.optimizer_offload],
      ...replay,
    ];
  }
  if (engine.name === "veomni") {
    return [
      ["model_engine", "veomni"],
      ...each((role) => [
        [`${role}.veomni.fsdp_size`, engine.fsdp_size],
        [`${role}.veomni.ulysses_parallel_size`, engine.sp_size],
        [`${role}.veomni.expert_parallel_size`, engine.expert_parallel],
        [`${role}.veomni.param_offload`, engine.param_offload],
      ]),
      [`${ACTOR}.veomni.optimizer_offload`, engine.optimizer_offload],
      ...replay,
    ];
  }
  return [
    ...each((role): Overrides => {
      const config = role === "critic" ? "critic.fsdp" : `${role}.fsdp_config`;
      return [
        [`${role}.strategy`, engine.name],
        [`${config}.fsdp_size`, engine.fsdp_size],
        [`${config}.param_offload`, engine.param_offload],
      ];
    }),
    [`${ACTOR}.fsdp_config.optimizer_offload`, engine.optimizer_offload],
    [`${ACTOR}.ulysses_sequence_parallel_size`, engine.sp_size],
  ];
}

function rolloutOverrides({ engine, lengths, rollout, batch }: VerlSpec, places: VerlPlaces) {
  const overrides: Overrides = [
    [`${ROLLOUT}.name`, rollout.name],
    [`${ROLLOUT}.n`, batch.n],
    [`${ROLLOUT}.temperature`, rollout.temperature],
    [`${ROLLOUT}.top_p`, rollout.top_p],
    [`${ROLLOUT}.top_k`, rollout.top_k],
    [`${ROLLOUT}.tensor_model_parallel_size`, rollout.tensor_parallel],
    [`${ROLLOUT}.gpu_memory_utilization`, rollout.gpu_memory_utilization],
    [`${ROLLOUT}.max_model_len`, windowOf({ lengths })],
    [`${ROLLOUT}.max_num_seqs`, rollout.max_num_seqs],
    [`${ROLLOUT}.max_num_batched_tokens`, rollout.max_num_batched_tokens],
    [`${ROLLOUT}.enforce_eager`, rollout.enforce_eager],
    [`${ROLLOUT}.free_cache_engine`, rollout.free_cache_engine],
    [`${ROLLOUT}.calculate_log_probs`, true],
    [`${ROLLOUT}.disable_log_stats`, false],
    [`${ROLLOUT}.agent.num_workers`, rollout.agent_workers],
    [`${ROLLOUT}.agent.default_agent_loop`, AGENT_LOOP],
    [`${ROLLOUT}.agent.agent_loop_config_path`, places.agentLoops],
  ];
  if (engine.router_replay === "R3")
    overrides.push([`${ROLLOUT}.enable_rollout_routing_replay`, true]);
  return overrides;
}

/** Tokens that the engine can hold of one sequence. */
export function windowOf({ lengths }: Pick<VerlSpec, "lengths">): number {
  return lengths.max_model_len ?? lengths.max_prompt_length + lengths.max_response_length;
}

function trainerOverrides(spec: VerlSpec, places: VerlPlaces, resumePath: string | null) {
  const { algorithm, layout, name, project, trainer } = spec;
  const path = resumePath ?? trainer.resume_from_path;
  const overrides: Overrides = [
    ["trainer.nnodes", layout.nnodes],
    ["trainer.n_gpus_per_node", layout.n_gpus_per_node],
    ["trainer.total_training_steps", trainer.total_training_steps],
    ["trainer.total_epochs", enoughEpochs(spec)],
    ["trainer.test_freq", trainer.test_freq],
    ["trainer.save_freq", trainer.save_freq],
    ["trainer.val_before_train", trainer.val_before_train],
    ["trainer.max_actor_ckpt_to_keep", trainer.max_actor_ckpt_to_keep],
    ["trainer.resume_mode", resumePath ? "resume_path" : trainer.resume_mode],
    ["trainer.resume_from_path", path],
    ["trainer.logger", ["console", "file"]],
    ["trainer.project_name", project],
    ["trainer.experiment_name", name],
    ["trainer.default_local_dir", places.checkpoints],
    ["hydra.run.dir", places.hydra],
  ];
  // one_step_off of verl 0.9.1 dies with a dump folder set: no attribute _dump_executor.
  const dumps: Overrides =
    algorithm.trainer_mode === "one_step_off"
      ? []
      : [
          ["trainer.rollout_data_dir", places.rolloutDumps],
          ["trainer.validation_data_dir", places.validationDumps],
        ];
  return [...overrides, ...dumps];
}
