import {
  DRIVER_FIELD,
  type LaunchSection,
  lines,
  number,
  type ReadValue,
  select,
  toggle,
} from "#launch/fields/launch-field.ts";

const isPpo = (read: ReadValue) => read("algorithm.adv_estimator") === "gae";
const isAsync = (read: ReadValue) => read("algorithm.trainer_mode") === "fully_async";
/** What goes on from a checkpoint is warm. */
const isCold = (read: ReadValue) => (read("trainer.resume_from_path") ?? "") === "";
const isGrouped = (read: ReadValue) => !isPpo(read);

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
        hint: "Fixes the first weights, the order of tasks and the seed of each sample. Requests meet in other batches each time, so two runs of one seed still differ.",
      },
    ],
  },
  {
    id: "algorithm",
    label: "Algorithm",
    note: "names as in verl",
    fields: [
      select(
        "algorithm.trainer_mode",
        "Mode",
        ["sync", "fully_async"],
        "sync: sample, then update. fully_async: engines sample while the trainer updates.",
      ),
      select(
        "algorithm.adv_estimator",
        "Advantage",
        ["grpo", "gae"],
        "grpo: against the mean of its group. gae: by a value head, which is PPO.",
      ),
      select(
        "algorithm.loss_mode",
        "Policy loss",
        ["vanilla", "gspo"],
        "vanilla clips the ratio of each token, gspo that of the whole sequence.",
      ),
      toggle(
        "algorithm.norm_adv_by_std_in_grpo",
        "Divide by group's σ",
        "Advantages divided by the standard deviation of their group.",
        { matters: isGrouped },
      ),
      number("algorithm.gamma", "Discount", "γ of the value head's returns.", { matters: isPpo }),
      number("algorithm.lam", "GAE λ", "λ of generalised advantage estimation.", {
        matters: isPpo,
      }),
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
    id: "async",
    label: "Asynchrony",
    note: "how far rollouts and updates may drift apart",
    matters: isAsync,
    fields: [
      number(
        "async.staleness_threshold",
        "Staleness threshold",
        "Share of a version's prompts that may be begun ahead, under older weights; rounded up, the most versions a trained token is behind. 0 waits for the weights.",
        { matters: isAsync },
      ),
      number(
        "async.trigger_parameter_sync_step",
        "Updates a version",
        "Updates between two weight syncs.",
        { matters: isAsync },
      ),
      number(
        "async.require_batches",
        "Batches an update",
        "Batches of prompts that one update takes.",
        {
          matters: isAsync,
        },
      ),
      toggle(
        "async.partial_rollout",
        "Partial rollouts",
        "A weight sync interrupts generations, which go on under the new weights; else it waits for them.",
        { matters: isAsync },
      ),
    ],
  },
  {
    id: "critic",
    label: "Critic",
    note: "the value head of gae",
    matters: isPpo,
    fields: [
      number("critic.lr", "Learning rate", "Adam's step size of the value head.", {
        matters: isPpo,
      }),
      number(
        "critic.ppo_epochs",
        "Epochs per update",
        "Passes of the value head over the rollouts of an update.",
        {
          matters: isPpo,
        },
      ),
      number(
        "critic.cliprange_value",
        "Value clip",
        "A value may move this far in one update before it is clipped.",
        {
          matters: isPpo,
        },
      ),
      number(
        "critic.critic_warmup",
        "Policy joins at",
        "Before this step the value head alone trains.",
        {
          unit: "step",
          matters: isPpo,
        },
      ),
      number(
        "critic.grad_clip",
        "Gradient clip",
        "Longest gradient norm of the value head's update.",
        {
          rare: true,
        },
      ),
    ],
  },
  {
    id: "optimisation",
    label: "Optimisation",
    fields: [
      {
        path: "batch.train_batch_size",
        label: "Prompts per update",
        kind: "number",
        hint: "Tasks that one update takes; in sync mode a step has one.",
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
        matters: isCold,
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
  {
    id: "filter",
    label: "Filter",
    note: "rollouts that stay out of the update",
    fields: [
      toggle("trajectory_filter.enable", "Drop trajectories", "By how they ended."),
      lines(
        "trajectory_filter.drop_reasons",
        "That ended by",
        "max_turns, timeout, agent_error, integrity, one a line.",
        { matters: (read) => read("trajectory_filter.enable") === true },
      ),
    ],
  },
];
