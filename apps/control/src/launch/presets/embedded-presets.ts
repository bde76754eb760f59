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
      norm_adv_by_std_in_grpo: true,
      clip_ratio_low: 0.2,
      clip_ratio_high: 0.28,
      kl_loss_coef: 0,
      entropy_coeff: 0,
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

export const EMBEDDED_PRESETS: readonly Preset[] = [quickstart, twoEngines];
