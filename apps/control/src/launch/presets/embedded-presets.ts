import type { EmbeddedSpec, Preset } from "@liverl/contract/launch";

/** A policy that repairs one-line bugs, learnt on this machine's processor in a few minutes. */
export const quickstart: Preset & { spec: EmbeddedSpec } = {
  id: "quickstart",
  label: "Quickstart",
  group: "Embedded",
  description:
    "GRPO on one-line repairs with the embedded engine. Reward climbs within minutes; nothing but this machine is needed.",
  spec: {
    project: "quickstart",
    name: "quickstart",
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
    critic: { lr: 1e-2, grad_clip: 1, ppo_epochs: 8, cliprange_value: 0.5, critic_warmup: 0 },
    async: {
      staleness_threshold: 0.5,
      trigger_parameter_sync_step: 2,
      require_batches: 1,
      partial_rollout: true,
    },
    batch: { train_batch_size: 8, n: 8 },
    optim: { lr: 1e-3, grad_clip: 1, ppo_epochs: 2 },
    model: { warmup_steps: 700 },
    rollout: { engines: 1, temperature: 1, max_tokens: 48, max_turns: 5, concurrency: 64 },
    trainer: {
      total_training_steps: 60,
      test_freq: 5,
      save_freq: 10,
      val_tasks: 64,
      stop_at_val_reward: 0.95,
      resume_from_path: null,
    },
    trajectory_filter: { enable: false, drop_reasons: ["timeout", "agent_error"] },
  },
};

/** Two engines and smaller steps: shows balancing over replicas and more frequent checkpoints. */
const twoEngines: Preset = {
  id: "two-engines",
  label: "Two engines",
  group: "Embedded",
  description: "The quickstart task on two engine replicas, with a checkpoint every five steps.",
  spec: {
    ...quickstart.spec,
    name: "two-engines",
    rollout: { ...quickstart.spec.rollout, engines: 2 },
    trainer: { ...quickstart.spec.trainer, save_freq: 5 },
  },
};

type Algorithm = Partial<EmbeddedSpec["algorithm"]>;

/** PPO: advantages by a value head. */
const ppo: Algorithm = { adv_estimator: "gae" };
/** GSPO: the ratio of whole sequences, which strays far less than that of a token, so its bounds are narrow. */
const gspo: Algorithm = { loss_mode: "gspo", clip_ratio_low: 0.003, clip_ratio_high: 0.004 };

function withAlgorithm(spec: EmbeddedSpec, name: string, algorithm: Algorithm): EmbeddedSpec {
  return { ...spec, name, algorithm: { ...spec.algorithm, ...algorithm } };
}

/** Engines sample while the trainer updates: two updates of 4 prompts between two weight syncs, as many prompts as a step of the quickstart. */
function fullyAsync(spec: EmbeddedSpec): EmbeddedSpec {
  return {
    ...withAlgorithm(spec, `${spec.name}-async`, { trainer_mode: "fully_async" }),
    batch: { ...spec.batch, train_batch_size: 4 },
    // Four groups at a time, so that they do not all end together and engines have work at every moment.
    rollout: { ...spec.rollout, concurrency: 32 },
  };
}

const grpoSpec = withAlgorithm(quickstart.spec, "grpo", {});
const ppoSpec = withAlgorithm(quickstart.spec, "ppo", ppo);
const gspoSpec = withAlgorithm(quickstart.spec, "gspo", gspo);

const presetOf = (id: string, label: string, description: string, spec: EmbeddedSpec): Preset => ({
  ...{ id, label, group: "Embedded", description, spec },
});

const APART =
  "The engines sample while the trainer updates; a weight sync interrupts generations, which go on under the new weights.";

export const EMBEDDED_PRESETS: readonly Preset[] = [
  quickstart,
  twoEngines,
  presetOf(
    "ppo",
    "PPO",
    "The quickstart task with a value head's advantages (gae) in place of the group's baseline.",
    ppoSpec,
  ),
  presetOf(
    "gspo",
    "GSPO",
    "The quickstart task with the ratio of whole sequences, clipped within narrow bounds.",
    gspoSpec,
  ),
  presetOf(
    "grpo-async",
    "GRPO, fully async",
    `GRPO on the quickstart task. ${APART}`,
    fullyAsync(grpoSpec),
  ),
  presetOf(
    "ppo-async",
    "PPO, fully async",
    `PPO on the quickstart task. ${APART}`,
    fullyAsync(ppoSpec),
  ),
  presetOf(
    "gspo-async",
    "GSPO, fully async",
    `GSPO on the quickstart task. ${APART}`,
    fullyAsync(gspoSpec),
  ),
];
