import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { EmbeddedSpec, LaunchSpec } from "@liverl/contract/launch";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import { z } from "zod";
import { findCheckpoints } from "#checkpoints/find-checkpoints.ts";
import { findHf } from "#checkpoints/hf/find-hf.ts";
import { findShards, type Shards } from "#checkpoints/merge/find-shards.ts";
import type { Context } from "#context.ts";
import { runFiles } from "#drivers/embedded/run-files.ts";
import { beginningOf, findOrigin, stepOfFolder } from "#forks/find-origin.ts";
import { effectiveSpec, readOverride, settledSpec } from "#launch/effective-spec.ts";
import type { Check } from "#launch/preflight-check.ts";
import { trainerWorld } from "#launch/verl-rules/verl-rule.ts";

type Judged = Pick<Context, "db" | "config">;
const FIELD = "trainer.resume_from_path";

const fail = (title: string, why: string, fix: Check["fix"] = null): Check => ({
  status: "fail",
  title,
  why,
  field: FIELD,
  fix,
});

/** Whether a spec can begin from the checkpoint that it names; null where it names none. */
export async function judgeFork(ctx: Judged, given: LaunchSpec): Promise<Check | null> {
  const spec = given.driver === "embedded" ? given : effectiveSpec(given).spec;
  const beginning = beginningOf(spec);
  if (beginning === null || beginning.how === "weights") return null;
  const path = resolve(beginning.path);
  const step = stepOfFolder(path);
  // What verl itself refuses is told by the rule of its own.
  if (step === null)
    return spec.driver === "embedded"
      ? fail("No checkpoint to start from", `${path} is no folder global_step_N.`)
      : null;
  const there = await stat(path).catch(() => null);
  if (!there?.isDirectory())
    return spec.driver === "embedded" || spec.driver === "local-verl"
      ? fail("The checkpoint to start from is gone", `There is no folder ${path}.`)
      : null;
  const { total_training_steps } = spec.trainer;
  if (total_training_steps <= step)
    return fail(
      "Nothing is left to train",
      `The checkpoint is of step ${step}, and the plan ends at step ${total_training_steps}: steps count on from the checkpoint.`,
      {
        label: `Plan ${step + total_training_steps} steps`,
        path: "trainer.total_training_steps",
        value: step + total_training_steps,
      },
    );
  return spec.driver === "embedded"
    ? judgeEmbedded(ctx, spec, path, step)
    : judgeVerlShards(ctx, spec, path, step);
}

async function judgeEmbedded(
  ctx: Judged,
  spec: EmbeddedSpec,
  path: string,
  step: number,
): Promise<Check> {
  const has = (name: string) =>
    stat(join(path, name)).then(
      () => true,
      () => false,
    );
  if (!(await has("trainer_state.json")) || !(await has("COMPLETE")))
    return fail(
      "This is no complete checkpoint of an embedded run",
      `${path} lacks trainer_state.json or COMPLETE: the embedded trainer reads only what it wrote itself.`,
    );
  const origin = findOrigin(ctx.config.dataDir, { path });
  const parentWeights = join(path, "../../weights/v0.safetensors");
  const hasReference = await stat(parentWeights).then(
    () => true,
    () => false,
  );
  if (spec.algorithm.kl_loss_coef > 0 && !hasReference)
    return {
      ...fail(
        "The reference policy is gone",
        `kl_loss_coef compares with the weights before the first update, ${resolve(parentWeights)}, which are not there.`,
        { label: "Without KL loss", path: "algorithm.kl_loss_coef", value: 0 },
      ),
      field: "algorithm.kl_loss_coef",
    };
  const { adv_estimator } = spec.algorithm;
  if (adv_estimator === "gae" && !(await has("critic.safetensors")))
    return {
      status: "warn",
      title: "The value head starts anew",
      why: `The checkpoint of step ${step} was made without one. A few steps of critic warm-up let it learn before the policy follows it.`,
      field: "critic.critic_warmup",
      fix:
        spec.critic.critic_warmup > step
          ? null
          : {
              label: `Policy joins at step ${step + 4}`,
              path: "critic.critic_warmup",
              value: step + 4,
            },
    };
  return (await reachedGoal(ctx, spec, { path, step, origin })) ?? begins(origin, step);
}

const SavedState = z.object({ progress: z.object({ reachedGoal: z.boolean() }) });

/** A fork forgets that its goal was reached, and meets it again at its next evaluation. */
async function reachedGoal(
  { db }: Judged,
  spec: EmbeddedSpec,
  { path, step, origin }: { path: string; step: number; origin: { runId: string } | null },
): Promise<Check | null> {
  const { stop_at_val_reward: goal, test_freq } = spec.trainer;
  if (goal === null) return null;
  const text = await readFile(join(path, "trainer_state.json"), "utf8");
  if (SavedState.safeParse(JSON.parse(text)).data?.progress.reachedGoal !== true) return null;
  const run = origin && (await db.run.findUnique({ where: { id: origin.runId } }));
  const parent = settledSpec(run?.spec);
  const before = parent?.driver === "embedded" ? parent.trainer.stop_at_val_reward : null;
  if (before !== null && goal > before) return null;
  const next = (Math.floor(step / test_freq) + 1) * test_freq;
  return {
    status: "warn",
    title: "The goal was reached already",
    why: `At step ${step} an evaluation of ${origin?.runId ?? "the run of this checkpoint"} reached ${before ?? "the reward that it should stop at"}. This run stops at ${goal}: it may end at its first evaluation, of step ${next}.`,
    field: "trainer.stop_at_val_reward",
    fix: { label: "Never stop early", path: "trainer.stop_at_val_reward", value: null },
  };
}

async function judgeVerlShards(
  ctx: Judged,
  spec: VerlSpec,
  path: string,
  step: number,
): Promise<Check> {
  const { dataDir } = ctx.config;
  const shards = await findShards(path);
  if (typeof shards === "string")
    return fail("The checkpoint to start from is not whole", `${path}: ${shards}`);
  const origin = findOrigin(dataDir, { path });
  if (origin) {
    const found = await findCheckpoints(dataDir, origin.runId);
    if (!found.some((checkpoint) => checkpoint.step === step && checkpoint.complete))
      return fail("The checkpoint to start from is not complete", `${path} lacks files.`);
    const danger = harmsParent(spec, runFiles(dataDir, origin.runId).directory);
    if (danger) return danger;
  }
  const differs = differsFrom(spec, shards);
  if (differs !== null) return refuseLayout(differs, path);
  return (origin && (await keptOptimizer(ctx, spec, origin))) ?? begins(origin, step);
}

/** verl restores optimizer and schedule whole, and with them the values that they were made of. */
async function keptOptimizer(
  { db }: Judged,
  spec: VerlSpec,
  origin: { runId: string },
): Promise<Check | null> {
  const run = await db.run.findUnique({ where: { id: origin.runId } });
  const parent = settledSpec(run?.spec);
  if (parent === null || parent.driver === "embedded") return null;
  const [before, now] = [parent.optim, spec.optim];
  const kept = (["lr", "lr_warmup_steps", "weight_decay"] as const).filter(
    (key) => before[key] !== now[key],
  );
  const [first] = kept;
  return first === undefined
    ? null
    : {
        status: "warn",
        title: "The optimizer keeps its values",
        why: `${kept.map((key) => `optim.${key}`).join(" and ")} stay as in ${origin.runId}: verl restores optimizer and schedule from the checkpoint. Fork from its weights to change them.`,
        field: `optim.${first}`,
        fix: {
          label: `Set back to ${before[first]}`,
          path: `optim.${first}`,
          value: before[first],
        },
      };
}

/** Pure; null where the shards fit. */
function differsFrom(spec: VerlSpec, { backend, worldSize }: Shards): string | null {
  const isMegatron = spec.engine.name === "megatron";
  if (isMegatron !== (backend === "megatron"))
    return `Its shards were written by ${backend === "megatron" ? "Megatron" : "FSDP"}, and engine.name is ${spec.engine.name}.`;
  const world = trainerWorld(spec);
  return worldSize === null || worldSize === world
    ? null
    : `${worldSize} ranks wrote it, this run has ${world}: an FSDP checkpoint loads only on as many.`;
}

async function refuseLayout(differs: string, path: string): Promise<Check> {
  const hf = await findHf(path);
  const title = "The checkpoint is of another engine or number of GPUs";
  return hf === null
    ? fail(
        title,
        `${differs} Merge it into Hugging Face form on its run's Checkpoints page and fork from its weights: any engine and layout takes those, with a fresh optimizer.`,
      )
    : fail(
        title,
        `${differs} Its weights in Hugging Face form fit any engine and layout, with a fresh optimizer.`,
        {
          label: "Start from its weights",
          path: "model.path",
          value: hf.path,
          also: { "trainer.resume_mode": "auto", "trainer.resume_from_path": null },
        },
      );
}

/** A fork reads its parent's files and never changes them. */
function harmsParent(spec: VerlSpec, parent: string): Check | null {
  const deletes = readOverride(spec, "trainer.del_local_ckpt_after_load");
  if (deletes && deletes.value !== false)
    return {
      ...fail(
        "The checkpoint would be deleted",
        "trainer.del_local_ckpt_after_load deletes what it loads, and that is another run's.",
      ),
      field: deletes.path,
    };
  const place = readOverride(spec, "trainer.default_local_dir");
  if (place && `${resolve(String(place.value))}/`.startsWith(`${parent}/`))
    return {
      ...fail(
        "Checkpoints would be written into the parent's folder",
        `trainer.default_local_dir lies in ${parent}: leave it out, the fork has a folder of its own.`,
      ),
      field: place.path,
    };
  return null;
}

function begins(origin: { runId: string } | null, step: number): Check {
  return {
    status: "pass",
    title: origin ? `Goes on from ${origin.runId}` : "Goes on from a checkpoint",
    why: `Weights, optimizer and order of tasks of step ${step}; new checkpoints go into a folder of its own.`,
    field: FIELD,
  };
}
