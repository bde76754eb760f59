import { batchesNeeded } from "#drivers/verl/build-verl-overrides.ts";
import { placeOfOverride } from "#launch/effective-spec.ts";
import { knownRows } from "#launch/verl-rules/data-rules.ts";
import { fail, pass, set, takeOut, type VerlRule, warn } from "#launch/verl-rules/verl-rule.ts";

export const SCHEDULE_RULES: readonly VerlRule[] = [
  {
    id: "checkpoints",
    judge: ({ trainer }) => {
      const { save_freq, total_training_steps } = trainer;
      if (save_freq <= 0)
        return warn(
          "No checkpoint is ever written",
          "A crash, a stop or the end leaves nothing to go on from.",
          {
            fix: set(
              "trainer.save_freq",
              Math.min(10, total_training_steps),
              "Save every 10 steps",
            ),
          },
        );
      if (save_freq > total_training_steps)
        return warn(
          "Only one checkpoint",
          `The first of every ${save_freq} steps comes after the end; verl writes one with the last step.`,
          { fix: set("trainer.save_freq", Math.min(10, total_training_steps)) },
        );
      return pass("Checkpoints", `Every ${save_freq} steps, and one at the end.`, {
        field: "trainer.save_freq",
      });
    },
  },
  {
    id: "checkpoints-kept",
    judge: ({ trainer }) => {
      const count =
        trainer.save_freq > 0 ? Math.ceil(trainer.total_training_steps / trainer.save_freq) : 0;
      return trainer.max_actor_ckpt_to_keep === null && count > 10
        ? warn("All checkpoints are kept", `${count} of them, each with Adam's moments.`, {
            fix: set("trainer.max_actor_ckpt_to_keep", 3, "Keep 3"),
          })
        : null;
    },
  },
  {
    id: "evaluation",
    judge: ({ trainer }) => {
      const { test_freq, total_training_steps } = trainer;
      if (test_freq > 0 && test_freq <= total_training_steps)
        return pass("Evaluation", `Every ${test_freq} steps.`, { field: "trainer.test_freq" });
      return warn(
        "No evaluation while training",
        test_freq <= 0
          ? "Only the reward of training tells whether it learns."
          : `The first would be at step ${test_freq}, after the end.`,
        { fix: set("trainer.test_freq", Math.min(10, total_training_steps)) },
      );
    },
  },
  {
    id: "epochs",
    judge: (spec, { train, trainHarbor }) => {
      const path = placeOfOverride(spec, "trainer.total_epochs");
      if (path === undefined) return null;
      const epochs = spec.overrides[path.slice("overrides.".length)];
      const at = { fix: takeOut(path) };
      const needed = batchesNeeded(spec);
      if (typeof epochs !== "number")
        return fail("trainer.total_epochs is no number", "verl counts its epochs by it.", at);
      const rows = knownRows(train, trainHarbor);
      const { trainer_mode } = spec.algorithm;
      const each =
        rows === null
          ? null
          : Math.floor(rows / (trainer_mode === "fully_async" ? 1 : spec.batch.train_batch_size));
      const { total_training_steps: steps } = spec.trainer;
      if (each !== null && each * epochs < needed)
        return fail(
          "The dataset ends before the last step",
          `${epochs} epochs of ${rows} tasks are ${Math.floor((each * epochs * steps) / needed)} of ${steps} steps: verl ends there. Without the override LiveRL asks for enough epochs.`,
          at,
        );
      return each === null && epochs < needed
        ? warn(
            "verl may end before the last step",
            `${epochs} epochs must hold ${steps} steps, and how many tasks an epoch has is not known here. Without the override LiveRL asks for enough.`,
            at,
          )
        : null;
    },
  },
  {
    id: "resume-path",
    judge: ({ trainer }) => {
      if (trainer.resume_mode !== "resume_path") return null;
      if (trainer.resume_from_path?.includes("global_step_")) return null;
      return fail(
        "The checkpoint to resume from is not named",
        "resume_mode resume_path wants resume_from_path to be a folder global_step_N.",
        {
          field: "trainer.resume_from_path",
          fix: set("trainer.resume_mode", "auto", "Resume from the newest"),
        },
      );
    },
  },
];
