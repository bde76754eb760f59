import { z } from "zod";
import { EmbeddedSpec } from "#launch.ts";

/** `plan.json` in a run's folder: all that the trainer process needs. Written by the driver, read by the trainer. */
export const TrainerPlan = z.object({
  runId: z.string(),
  spec: EmbeddedSpec,
  /** Restarts count up; each attempt logs metrics to a file of its own. */
  attempt: z.number().int(),
  /** `latest`: newest complete checkpoint of the run's folder, else from the warm-up. A number: that global step. */
  resumeFrom: z.union([z.literal("latest"), z.number().int().nonnegative()]),
  metricsPath: z.string(),
  eventsPath: z.string(),
  commandsPath: z.string(),
  updatesPath: z.string(),
  trainedTokensDir: z.string(),
  checkpointsDir: z.string(),
  weightsDir: z.string(),
  modelDir: z.string(),
  warmupDir: z.string(),
  resultPath: z.string(),
  engines: z.array(z.object({ url: z.string() })),
  engineKeyPath: z.string(),
  runner: z.object({ url: z.string(), tokenPath: z.string() }),
});
export type TrainerPlan = z.infer<typeof TrainerPlan>;

/** One line of `events.jsonl`, written by the trainer: phases, syncs, checkpoints, evaluations. `seq` counts from 0 per attempt. */
export const TrainerEvent = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("phase"),
    attempt: z.number(),
    seq: z.number(),
    at: z.string(),
    id: z.string(),
    state: z.enum(["start", "progress", "end", "fail"]),
    detail: z.string().nullable(),
    /** Share of the phase that is done, 0 to 1. */
    progress: z.number().min(0).max(1).optional(),
  }),
  z.object({
    kind: z.literal("resume"),
    attempt: z.number(),
    seq: z.number(),
    at: z.string(),
    step: z.number(),
    stateSha256: z.string(),
  }),
  z.object({
    kind: z.literal("weight-sync"),
    attempt: z.number(),
    seq: z.number(),
    at: z.string(),
    step: z.number(),
    version: z.number(),
    seconds: z.number(),
    bytes: z.number(),
  }),
  z.object({
    kind: z.literal("checkpoint"),
    attempt: z.number(),
    seq: z.number(),
    at: z.string(),
    step: z.number(),
    path: z.string(),
    seconds: z.number(),
    bytes: z.number(),
    stateSha256: z.string(),
    weightsSha256: z.string(),
  }),
  z.object({
    kind: z.literal("evaluation"),
    attempt: z.number(),
    seq: z.number(),
    at: z.string(),
    step: z.number(),
    reward: z.number(),
    tasks: z.number(),
    final: z.boolean(),
  }),
  z.object({
    kind: z.literal("command"),
    attempt: z.number(),
    seq: z.number(),
    at: z.string(),
    id: z.string(),
    command: z.string(),
    step: z.number(),
  }),
]);
export type TrainerEvent = z.infer<typeof TrainerEvent>;

/** One line of `updates-<attempt>.jsonl`, on disk before the update begins: the rollouts that it takes, in order. */
export const UpdateRecord = z.object({
  attempt: z.number().int(),
  /** The step that it belongs to, and its place in the step. */
  step: z.number().int(),
  update: z.number().int(),
  /** Weights of the engines meanwhile; `isSynced`: the trainer's are still the same. */
  version: z.number().int(),
  isSynced: z.boolean(),
  /** Ids of the rollouts, by group. */
  groups: z.array(z.array(z.string())),
});
export type UpdateRecord = z.infer<typeof UpdateRecord>;

/** One line of `commands.jsonl`, appended by control, read by the trainer between steps. */
export const TrainerCommand = z.object({
  id: z.string(),
  at: z.string(),
  command: z.enum(["stop-after-step", "checkpoint-now"]),
});
export type TrainerCommand = z.infer<typeof TrainerCommand>;

/** `result.json`: written last, atomically. Its presence with `outcome: "done"` is what makes a run succeed; an exit code is not. */
export const TrainerResult = z.object({
  runId: z.string(),
  outcome: z.enum(["done", "stopped"]),
  steps: z.number().int(),
  plannedSteps: z.number().int(),
  stoppedBy: z.enum(["plan", "stop_at_val_reward", "command"]),
  heldOutBefore: z.number(),
  heldOutReward: z.number().nullable(),
  trainSeconds: z.number(),
  warmupSeconds: z.number(),
  rollouts: z.number().int(),
  calls: z.number().int(),
  tokens: z.number().int(),
  maxLogprobDiff: z.number(),
});
export type TrainerResult = z.infer<typeof TrainerResult>;

/** Boot phases of the embedded driver, in order. */
export const EMBEDDED_BOOT_PHASES = [
  { id: "preflight", label: "Preflight" },
  { id: "model", label: "Tokenizer and model" },
  { id: "warmup", label: "Supervised warm-up" },
  { id: "engines", label: "Engines" },
  { id: "proxy", label: "Proxy self-check" },
  { id: "weights", label: "First weight sync" },
  { id: "evaluation", label: "Held-out evaluation" },
  { id: "rollouts", label: "First rollouts" },
] as const;
