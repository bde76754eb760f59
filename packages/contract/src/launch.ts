import { z } from "zod";
import { OverrideValue } from "#override-value.ts";
import { LaunchBase } from "#run-config.ts";
import { findNotStorable, notStorable } from "#storable.ts";
import { DropReasons, KubeRaySpec, LocalVerlSpec, RayJobSpec } from "#verl-launch.ts";

const Slug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, "lower-case letters, digits, '.', '_' or '-', 63 at most");

/** A run on this machine's own small policy. Keys follow verl where verl has the word. */
export const EmbeddedSpec = z.strictObject({
  project: Slug,
  name: Slug,
  driver: z.literal("embedded"),
  seed: z
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1),
  algorithm: z.strictObject({
    /** `grpo`: baseline of the group; `gae`: a value head, which is PPO. */
    adv_estimator: z.enum(["grpo", "gae"]),
    /** `fully_async`: engines sample while the trainer updates; a step is a parameter version then. */
    trainer_mode: z.enum(["sync", "fully_async"]),
    /** `gspo` takes the ratio of whole sequences (arXiv 2507.18071). */
    loss_mode: z.enum(["vanilla", "gspo"]).default("vanilla"),
    norm_adv_by_std_in_grpo: z.boolean(),
    /** Discount and λ of generalised advantage estimation, by sampled token. */
    gamma: z.number().min(0).max(1).default(1),
    lam: z.number().min(0).max(1).default(1),
    clip_ratio_low: z.number().min(0).max(1),
    clip_ratio_high: z.number().min(0).max(10),
    kl_loss_coef: z.number().min(0).max(10),
    entropy_coeff: z.number().min(0).max(1),
  }),
  /** The value head of `gae`; unused without. */
  critic: z
    .strictObject({
      lr: z.number().positive().max(1),
      grad_clip: z.number().positive().max(1000),
      /** Passes over the rollouts of one update. */
      ppo_epochs: z.number().int().min(1).max(64),
      /** A value may move this far from the one before the update; what goes beyond does not train. */
      cliprange_value: z.number().positive().max(1000),
      /** First steps, in which the value head alone trains. */
      critic_warmup: z.number().int().min(0).max(10_000),
    })
    .default({ lr: 1e-2, grad_clip: 1, ppo_epochs: 8, cliprange_value: 0.5, critic_warmup: 0 }),
  /** Of `fully_async`; unused in sync mode. */
  async: z
    .strictObject({
      /**
       * Share of a version's prompts that may be begun ahead of it, under the version before: ⌈threshold⌉ is the most
       * versions that a trained token may be behind. 0 waits for the weights.
       */
      staleness_threshold: z.number().min(0).max(8),
      /** Updates between two weight syncs. */
      trigger_parameter_sync_step: z.number().int().min(1).max(64),
      /** Batches of `train_batch_size` prompts that one update takes. */
      require_batches: z.number().int().min(1).max(16),
      /** A weight sync interrupts generations, which go on from their tokens under the new weights; else it waits for them. */
      partial_rollout: z.boolean(),
    })
    .default({
      staleness_threshold: 0.5,
      trigger_parameter_sync_step: 1,
      require_batches: 1,
      partial_rollout: true,
    }),
  batch: z.strictObject({
    /** Prompts (tasks) of one update; in sync mode a step has one. */
    train_batch_size: z.number().int().min(1).max(64),
    /** Rollouts per prompt: the size of a group. */
    n: z.number().int().min(1).max(64),
  }),
  optim: z.strictObject({
    lr: z.number().positive().max(1),
    grad_clip: z.number().positive().max(1000),
    ppo_epochs: z.number().int().min(1).max(8),
  }),
  model: z.strictObject({
    warmup_steps: z.number().int().min(0).max(5000),
  }),
  rollout: z.strictObject({
    engines: z.number().int().min(1).max(4),
    temperature: z.number().positive().max(5),
    /** Sampled tokens of one turn. */
    max_tokens: z.number().int().min(8).max(128),
    max_turns: z.number().int().min(1).max(16),
    /** Rollouts in flight at the trial runner. */
    concurrency: z.number().int().min(1).max(256),
  }),
  trainer: z.strictObject({
    total_training_steps: z.number().int().min(1).max(10_000),
    test_freq: z.number().int().min(1).max(1000),
    save_freq: z.number().int().min(1).max(1000),
    /** Tasks of one in-run evaluation. */
    val_tasks: z.number().int().min(8).max(1024),
    /** Stop before the plan's end once an in-run evaluation reaches this; null never stops early. */
    stop_at_val_reward: z.number().min(0).max(1).nullable(),
    /** A folder `global_step_N` of another embedded run to go on from, with its optimizer; null starts from the warm-up. */
    resume_from_path: z.string().min(1).max(4000).nullable().default(null),
  }),
  trajectory_filter: z
    .strictObject({
      enable: z.boolean(),
      /** Ends of a rollout, and signs, that keep it out of the update: max_turns, timeout, integrity, … */
      drop_reasons: DropReasons,
    })
    .default({ enable: false, drop_reasons: ["timeout", "agent_error"] }),
});
export type EmbeddedSpec = z.infer<typeof EmbeddedSpec>;

/** What a run should be: the launch form, the YAML file and the API take this one shape. `driver` says what runs it. */
export const LaunchSpec = z
  .discriminatedUnion("driver", [EmbeddedSpec, LocalVerlSpec, RayJobSpec, KubeRaySpec])
  .superRefine((spec, fault) => {
    const path = findNotStorable(spec);
    if (path) fault.addIssue({ code: "custom", path, message: notStorable });
  });
export type LaunchSpec = z.infer<typeof LaunchSpec>;

export const Preset = z.object({
  id: z.string(),
  label: z.string(),
  /** Heading that it is listed under. */
  group: z.string(),
  description: z.string(),
  spec: LaunchSpec,
});
export type Preset = z.infer<typeof Preset>;

export const PreflightItem = z.object({
  id: z.string(),
  status: z.enum(["pass", "warn", "fail"]),
  title: z.string(),
  why: z.string(),
  /** Values that would mend it: path in the spec → value; the form applies them on a click. */
  fix: z
    .object({
      label: z.string(),
      path: z.string(),
      /** Left out: the place is taken out of the spec. */
      value: OverrideValue.optional(),
      /** Values that change along with it. */
      also: z.record(z.string(), OverrideValue).optional(),
    })
    .nullable(),
  /** Path of the field at fault, `batch.n`; null when it is not one field. */
  field: z.string().nullable(),
});
export type PreflightItem = z.infer<typeof PreflightItem>;

const planned = {
  /** Of a step; of a parameter version where trainer and engines run apart. */
  batchRollouts: z.number().int(),
  /** Left to train: where a run goes on from a checkpoint, those after it. */
  steps: z.number().int(),
  totalRollouts: z.number().int(),
  optimizerSteps: z.number().int(),
  /** Seconds per step and in all, from earlier runs of this machine; null before the first. */
  estimate: z.object({ stepS: z.number(), totalS: z.number() }).nullable(),
  processes: z.array(z.object({ name: z.string(), argv: z.array(z.string()) })),
  files: z.array(z.string()),
};

export const EmbeddedPlan = z.object({
  kind: z.literal("embedded"),
  ...planned,
  parameters: z.number().int(),
  memoryMb: z.object({ engine: z.number(), trainer: z.number() }),
  /** fully_async, in prompts: what an update takes, and the most that are begun for a version. */
  fullyAsync: z
    .object({ requiredSamples: z.number().int(), maxRequiredSamples: z.number().int() })
    .nullable(),
  checkpoints: z.object({ count: z.number().int(), sizeMb: z.number() }),
});
export type EmbeddedPlan = z.infer<typeof EmbeddedPlan>;

const GpuPool = z.object({ nodes: z.number().int(), gpusPerNode: z.number().int() });
/** A share of one GPU's memory: what it holds, and how much. */
const MemoryPart = z.object({ label: z.string(), mb: z.number() });
export type MemoryPart = z.infer<typeof MemoryPart>;

export const VerlPlan = z.object({
  kind: z.literal("verl"),
  ...planned,
  /** One pool where trainer and engines take turns on the same GPUs; else the engines have their own. */
  pools: z.object({ trainer: GpuPool, rollout: GpuPool.nullable() }),
  /** fully_async: what verl makes of the values, as it prints them when it starts. */
  fullyAsync: z
    .object({
      requiredSamples: z.number().int(),
      maxRequiredSamples: z.number().int(),
      totalRolloutSteps: z.number().int(),
    })
    .nullable(),
  /** `active`: those that one token uses, fewer than all in a mixture of experts. Null: the model is not known here. */
  parameters: z.object({ total: z.number(), active: z.number(), basis: z.string() }).nullable(),
  /** Per GPU at the peak of an update and of sampling; null without a model. */
  memory: z
    .object({
      trainer: z.array(MemoryPart),
      rollout: z.array(MemoryPart),
      /** Cache of one token over a whole replica. */
      kvBytesPerToken: z.number(),
      /** Memory of one GPU; null where none was seen. */
      gpuMb: z.number().nullable(),
    })
    .nullable(),
  checkpoints: z.object({ count: z.number().int(), sizeMb: z.number().nullable() }),
});
export type VerlPlan = z.infer<typeof VerlPlan>;

/** What a spec will do, computed without touching anything. */
export const LaunchPlan = z.discriminatedUnion("kind", [EmbeddedPlan, VerlPlan]);
export type LaunchPlan = z.infer<typeof LaunchPlan>;

/** A launch script, with what only its user knows: which way it goes, and what its shell brings along. */
export const ReadEnvironment = z.object({
  text: z.string().max(200_000),
  /** Option by the id of a choice, as an earlier reading lists them. */
  choices: z.record(z.string().max(40), z.number().int().min(0).max(1_000)).optional(),
  /** Variables of the script's shell, as HOME; `1`, `2`, … are its arguments. */
  variables: z
    .record(
      z
        .string()
        .regex(/^(?:[A-Za-z_]\w*|[1-9]\d?)$/)
        .max(200),
      z.string().max(10_000),
    )
    .optional(),
});
export type ReadEnvironment = z.infer<typeof ReadEnvironment>;

const ReadLine = z.number().int().nullable();
const ReadValue = z.object({ path: z.string(), value: OverrideValue, name: z.string() });

/** What a launch script says in a spec's own words. */
export const EnvironmentReading = z.object({
  /** What the text is: a script, a list of variables and overrides, or a file that Hydra writes. */
  source: z.enum(["script", "variables", "hydra-overrides", "hydra-config"]),
  /** The training command that is read. */
  command: z.object({ program: z.string(), line: ReadLine, via: z.array(z.string()) }).nullable(),
  values: z.array(
    ReadValue.extend({
      /** Line of the text that sets it. */
      line: ReadLine,
    }),
  ),
  /** Places where the result depends on what only a run would tell. One option of each is taken. */
  choices: z.array(
    z.object({
      id: z.string(),
      line: ReadLine,
      /** The condition, as the script has it. */
      condition: z.string(),
      taken: z.number().int(),
      /** The user has chosen; else the likeliest option is taken. */
      isChosen: z.boolean(),
      options: z.array(
        z.object({
          label: z.string(),
          /** Values that it sets otherwise than the option taken; null: it leaves the value out. */
          changes: z.array(ReadValue.extend({ value: OverrideValue.optional() })),
          /** No training command is reached. */
          stops: z.boolean(),
        }),
      ),
    }),
  ),
  /** Variables and arguments of the script's shell that values depend on. */
  unknowns: z.array(z.object({ name: z.string(), line: ReadLine, keys: z.array(z.string()) })),
  /** A line for each name that is not taken over, with the reason. */
  notes: z.array(
    z.object({
      name: z.string(),
      line: ReadLine,
      message: z.string(),
      /** It changes nothing about the run. */
      isMinor: z.boolean(),
      /** The choice that the value depends on. */
      choice: z.string().nullable(),
    }),
  ),
});
export type EnvironmentReading = z.infer<typeof EnvironmentReading>;

export const PlanLaunch = z.object({ spec: z.unknown() });
export const PlanLaunchResult = z.object({
  /** Faults of shape: path → message. With any, there is no plan. */
  faults: z.array(z.object({ path: z.string(), message: z.string() })),
  plan: LaunchPlan.nullable(),
  preflight: z.array(PreflightItem),
});
export type PlanLaunchResult = z.infer<typeof PlanLaunchResult>;

/** What keeps a spec from being one, each at the path of its own value, in words that say what to do. */
export function launchFaults(error: z.ZodError): PlanLaunchResult["faults"] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({
        path: [...path, key].join("."),
        message: `There is no value ${key} here: take it out, or mend its name.`,
      }));
    return [{ path: path.join("."), message: sayIssue(path.join("."), issue) }];
  });
}

/** zod's own words for a value, which name neither it nor what to do. A schema's message is said as it is. */
const OF_ZOD = /^(?:Too (?:small|big): |Invalid (?:input|option): )/;
const TYPE_WORDS: Record<string, string> = {
  int: "a whole number",
  number: "a number",
  string: "a text",
  boolean: "true or false",
  array: "a list",
  object: "a group of values",
};

function sayIssue(path: string, issue: z.core.$ZodIssue): string {
  const { message } = issue;
  // zod tells a missing value only in its words.
  if (message.endsWith("received undefined"))
    return `${path} is missing: a spec names every value, as the preset does.`;
  if (!OF_ZOD.test(message)) return message;
  switch (issue.code) {
    case "too_small":
      return isAmount(issue.origin)
        ? `${path} must be ${issue.inclusive === false ? "above" : "at least"} ${issue.minimum}.`
        : `${path} is too short: it needs at least ${issue.minimum}.`;
    case "too_big":
      return isAmount(issue.origin)
        ? `${path} must be ${issue.inclusive === false ? "below" : "at most"} ${issue.maximum}.`
        : `${path} is too long: it has room for ${issue.maximum}.`;
    case "invalid_type":
      return `${path} must be ${TYPE_WORDS[issue.expected] ?? issue.expected}.`;
    case "invalid_value":
      return `${path} must be ${issue.values.map(String).join(" or ")}.`;
    default:
      return message;
  }
}

const isAmount = (origin: string) => origin === "number" || origin === "int";

export const LaunchRun = z.object({
  spec: LaunchSpec,
  idempotencyKey: z.string().min(8).max(100),
  /** What the spec began as, so that each value's origin is known. */
  base: LaunchBase.optional(),
  /** Although its preflight refuses. */
  force: z.boolean().optional(),
});
export type LaunchRun = z.infer<typeof LaunchRun>;
