import { DRIVER_FIELD, type LaunchSection } from "#launch/fields/launch-field.ts";

/** Every value of an EmbeddedSpec, in the order of the form. A test holds it against the schema. */
export const EMBEDDED_SECTIONS: readonly LaunchSection[] = [
  {
    id: "run",
    label: "Run",
    fields: [
      DRIVER_FIELD,
      {
        path: "name",
        label: "Name",
        kind: "text",
        hint: "Lower-case letters, digits, '.', '_' or '-'.",
      },
      {
        path: "project",
        label: "Project",
        kind: "text",
        hint: "Runs of one project are listed together.",
      },
      {
        path: "seed",
        label: "Seed",
        kind: "number",
        hint: "Fixes the weights, the order of tasks and every sample.",
      },
    ],
  },
  {
    id: "algorithm",
    label: "Algorithm",
    note: "names as in verl",
    fields: [
      {
        path: "algorithm.adv_estimator",
        label: "Advantage",
        kind: "locked",
        hint: "Group-relative: reward against the mean of its group.",
      },
      {
        path: "algorithm.trainer_mode",
        label: "Mode",
        kind: "locked",
        hint: "Sample, then update, then sample.",
      },
      {
        path: "algorithm.norm_adv_by_std_in_grpo",
        label: "Divide by group's σ",
        kind: "switch",
        hint: "Advantages divided by the standard deviation of their group.",
      },
      {
        path: "algorithm.clip_ratio_low",
        label: "Clip below",
        kind: "number",
        hint: "The ratio may fall by this much before it is clipped.",
      },
      {
        path: "algorithm.clip_ratio_high",
        label: "Clip above",
        kind: "number",
        hint: "The ratio may rise by this much before it is clipped.",
      },
      {
        path: "algorithm.kl_loss_coef",
        label: "KL coefficient",
        kind: "number",
        hint: "Weight of the KL to the starting policy in the loss; 0 leaves it out.",
      },
      {
        path: "algorithm.entropy_coeff",
        label: "Entropy coefficient",
        kind: "number",
        hint: "Weight of the entropy bonus in the loss; 0 leaves it out.",
      },
    ],
  },
  {
    id: "optimisation",
    label: "Optimisation",
    fields: [
      {
        path: "batch.train_batch_size",
        label: "Prompts per step",
        kind: "number",
        hint: "Tasks that one step takes.",
      },
      {
        path: "batch.n",
        label: "Rollouts per prompt",
        kind: "number",
        hint: "The size of a group.",
      },
      { path: "optim.lr", label: "Learning rate", kind: "number", hint: "Adam's step size." },
      {
        path: "optim.grad_clip",
        label: "Gradient clip",
        kind: "number",
        hint: "Longest gradient norm of an update.",
      },
      {
        path: "optim.ppo_epochs",
        label: "Epochs per step",
        kind: "number",
        hint: "Passes over the rollouts of one step.",
      },
      {
        path: "model.warmup_steps",
        label: "Warm-up",
        kind: "number",
        unit: "updates",
        hint: "Supervised updates that teach the format before reinforcement begins.",
      },
    ],
  },
  {
    id: "rollout",
    label: "Rollouts",
    fields: [
      {
        path: "rollout.engines",
        label: "Engines",
        kind: "number",
        hint: "Replicas that sample tokens.",
      },
      {
        path: "rollout.temperature",
        label: "Temperature",
        kind: "number",
        hint: "Of sampling in training.",
      },
      {
        path: "rollout.max_tokens",
        label: "Tokens per turn",
        kind: "number",
        unit: "tokens",
        hint: "Longest sampled turn.",
      },
      {
        path: "rollout.max_turns",
        label: "Turns",
        kind: "number",
        hint: "Most turns of one attempt.",
      },
      {
        path: "rollout.concurrency",
        label: "In flight",
        kind: "number",
        unit: "rollouts",
        hint: "Rollouts that run at the same time.",
      },
    ],
  },
  {
    id: "schedule",
    label: "Schedule",
    fields: [
      {
        path: "trainer.total_training_steps",
        label: "Steps",
        kind: "number",
        hint: "The plan's length.",
      },
      {
        path: "trainer.test_freq",
        label: "Evaluate every",
        kind: "number",
        unit: "steps",
        hint: "Held-out evaluation during the run.",
      },
      {
        path: "trainer.save_freq",
        label: "Checkpoint every",
        kind: "number",
        unit: "steps",
        hint: "How often a checkpoint is written.",
      },
      {
        path: "trainer.val_tasks",
        label: "Evaluation tasks",
        kind: "number",
        hint: "Held-out tasks of one evaluation.",
      },
      {
        path: "trainer.stop_at_val_reward",
        label: "Stop at reward",
        kind: "number",
        nullable: true,
        hint: "Ends early once an evaluation reaches this; empty never does.",
      },
      {
        path: "trainer.resume_from_path",
        label: "Start from",
        kind: "text",
        nullable: true,
        rare: true,
        empty: "the warm-up",
        hint: "A folder global_step_N of an embedded run: its weights, optimizer and order of tasks.",
      },
    ],
  },
];
