import { AppError } from "@liverl/contract/app-error";
import type { LaunchSpec } from "@liverl/contract/launch";
import type { ForkWay } from "@liverl/contract/run";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import { findCheckpoints } from "#checkpoints/find-checkpoints.ts";
import { findHf } from "#checkpoints/hf/find-hf.ts";
import { mergeFiles } from "#checkpoints/merge/merge-files.ts";
import type { Context } from "#context.ts";
import { settledSpec } from "#launch/effective-spec.ts";
import { getSpecOfRun } from "#launch/get-spec-of-run.ts";

export interface ForkChoice {
  runId: string;
  step: number;
  how: ForkWay;
}

/** A run's spec that begins from one of its checkpoints: what the launch form opens with. */
export async function buildForkSpec(
  ctx: Pick<Context, "db" | "config">,
  { runId, step, how }: ForkChoice,
): Promise<LaunchSpec> {
  const spec = await getSpecOfRun(ctx, { runId });
  const { checkpoint } = mergeFiles(ctx.config.dataDir, runId, step);
  const refuse = (userMessage: string) => new AppError("CONFLICT", { userMessage });
  if (how === "weights") {
    const hf = await findHf(checkpoint);
    if (hf === null || spec.driver === "embedded")
      throw refuse(
        `The checkpoint of step ${step} is not there in Hugging Face form: merge it first.`,
      );
    return fromWeights(spec, hf.path);
  }
  const found = await findCheckpoints(ctx.config.dataDir, runId);
  if (!found.some((one) => one.step === step && one.complete))
    throw refuse(`${runId} has no complete checkpoint of step ${step} any more.`);
  return fromCheckpoint(spec, checkpoint, step);
}

/** Pure. Steps count on from the checkpoint, so a plan that ends there is made longer by itself. */
export function fromCheckpoint(spec: LaunchSpec, path: string, step: number): LaunchSpec {
  const { total_training_steps: planned } = (settledSpec(spec) ?? spec).trainer;
  const total_training_steps = planned > step ? planned : step + planned;
  if (spec.driver === "embedded")
    return {
      ...spec,
      trainer: { ...spec.trainer, total_training_steps, resume_from_path: path },
    };
  const trainer = {
    ...spec.trainer,
    total_training_steps,
    resume_mode: "resume_path" as const,
    resume_from_path: path,
  };
  return { ...spec, trainer, overrides: without(spec, [...RESUME_KEYS, STEPS_KEY]) };
}

/** Pure. A fresh optimizer on the weights of a model folder. */
export function fromWeights(spec: VerlSpec, path: string): VerlSpec {
  const trainer = { ...spec.trainer, resume_mode: "auto" as const, resume_from_path: null };
  return {
    ...spec,
    model: { ...spec.model, path },
    trainer,
    overrides: without(spec, [...RESUME_KEYS, "actor_rollout_ref.model.path"]),
  };
}

const RESUME_KEYS = ["trainer.resume_mode", "trainer.resume_from_path"];
const STEPS_KEY = "trainer.total_training_steps";

/** Overrides that would win over what the fork begins from are left out. */
function without({ overrides }: VerlSpec, keys: readonly string[]): VerlSpec["overrides"] {
  return Object.fromEntries(
    Object.entries(overrides).filter(([key]) => !keys.includes(key.replace(/^[+~]+/, ""))),
  );
}
