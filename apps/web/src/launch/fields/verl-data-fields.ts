import {
  type LaunchSection,
  lines,
  number,
  pairs,
  type ReadValue,
  select,
  text,
  toggle,
} from "#launch/fields/launch-field.ts";

const hasFiles = (read: ReadValue) => {
  const files = read("data.train_files");
  return Array.isArray(files) && files.length > 0;
};

export const DATA_SECTION: LaunchSection = {
  id: "data",
  label: "Data",
  fields: [
    text("data.train_harbor_dir", "Training tasks", "A folder of Harbor tasks.", {
      nullable: true,
      empty: "none",
    }),
    text("data.val_harbor_dir", "Evaluation tasks", "A folder of Harbor tasks.", {
      nullable: true,
      empty: "none",
    }),
    toggle("data.shuffle", "Shuffle", "Takes the tasks in another order each epoch."),
    lines("data.train_files", "Training files", "Parquet or JSON lines, one a line.", {
      empty: "none",
    }),
    lines("data.val_files", "Evaluation files", "Parquet or JSON lines, one a line.", {
      empty: "none",
    }),
    text("data.harbor_root", "Task root", "Folder below which a row's instance_id names a task.", {
      nullable: true,
      empty: "none",
      matters: hasFiles,
    }),
    text(
      "data.task_path_template",
      "Task template",
      "Path of a row's task, with its columns in braces.",
      {
        nullable: true,
        empty: "none",
        matters: hasFiles,
      },
    ),
  ],
};

export const TRAINER_SECTION: LaunchSection = {
  id: "trainer",
  label: "Schedule",
  fields: [
    number(
      "trainer.total_training_steps",
      "Steps",
      "The plan's length; weight versions with fully_async.",
    ),
    number("trainer.test_freq", "Evaluate every", "-1 for never.", { unit: "steps" }),
    number("trainer.save_freq", "Checkpoint every", "-1 for never.", { unit: "steps" }),
    number("trainer.max_actor_ckpt_to_keep", "Checkpoints kept", "The newest.", {
      nullable: true,
      empty: "all",
    }),
    toggle("trainer.val_before_train", "Evaluate first", "Before the first step."),
    select(
      "trainer.resume_mode",
      "Resume",
      ["auto", "disable", "resume_path"],
      "auto: from the newest checkpoint of this run.",
      {
        rare: true,
      },
    ),
    text("trainer.resume_from_path", "Resume from", "A folder global_step_N.", {
      nullable: true,
      empty: "none",
      matters: (read) => read("trainer.resume_mode") === "resume_path",
    }),
  ],
};

export const FILTER_SECTION: LaunchSection = {
  id: "filter",
  label: "Filter",
  note: "rollouts that stay out of the update",
  fields: [
    toggle("trajectory_filter.enable", "Drop trajectories", "By how they ended."),
    lines(
      "trajectory_filter.drop_reasons",
      "That ended by",
      "timeout, env_setup_failed, one a line.",
      {
        matters: (read) => read("trajectory_filter.enable") === true,
      },
    ),
  ],
};

export const OVERRIDES_SECTION: LaunchSection = {
  id: "overrides",
  label: "Overrides",
  note: "any other key of verl's config, as on its command line; these win",
  fields: [pairs("overrides", "Hydra overrides", "key=value, one a line.", { empty: "key=value" })],
};

export const ENVIRONMENT_SECTION: LaunchSection = {
  id: "env",
  label: "Environment",
  note: "variables of verl's processes",
  fields: [pairs("env", "Variables", "NAME=value, one a line.", { empty: "NAME=value" })],
};
