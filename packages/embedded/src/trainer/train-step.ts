import type { EmbeddedSpec } from "@liverl/contract/launch";
import { Random } from "@liverl/contract/random";
import { drawRepairTask, type RepairTask } from "@liverl/contract/repair-task";
import type { RolloutRequest, RolloutResult } from "@liverl/contract/rollout";
import type { Learner } from "#learner/learner.ts";
import { updatePolicy } from "#learner/policy-update.ts";
import { groupAdvantages, rolloutSamples } from "#learner/rollout-samples.ts";
import type { ModelConfig } from "#model/architecture.ts";
import type { Parameters } from "#model/parameters.ts";
import { correctionMetrics, largestLogprobDifference } from "#trainer/correction-metrics.ts";
import { countTrainingFlops } from "#trainer/measure-peak.ts";
import type { RolloutClient } from "#trainer/rollout-client.ts";
import { rolloutMetrics, sampledTokens } from "#trainer/rollout-metrics.ts";
import type { Stopwatch } from "#trainer/stopwatch.ts";
import { mean } from "#trainer/summarize.ts";
import type { TrainerState } from "#trainer/trainer-state.ts";

export interface StepTools {
  runId: string;
  spec: EmbeddedSpec;
  config: ModelConfig;
  client: Pick<RolloutClient, "runAll">;
  learner: Learner;
  /** Weights that the KL term pulls towards; null when its coefficient is 0. */
  reference: Parameters | null;
  peakFlops: number;
}

/** Requests of one step: `train_batch_size` groups of `n`. Ids come from run, step, group and index, so a repeat is the same rollout. */
function requestsOf(
  runId: string,
  spec: EmbeddedSpec,
  step: number,
  tasks: readonly RepairTask[],
): RolloutRequest[] {
  const sampling = { temperature: spec.rollout.temperature, max_tokens: spec.rollout.max_tokens };
  return tasks.flatMap((task, g) =>
    Array.from({ length: spec.batch.n }, (_, i): RolloutRequest => {
      const groupId = `${runId}.s${step}.g${g}`;
      return {
        rolloutId: `${groupId}.r${i}`,
        runId,
        groupId,
        taskRef: task.ref,
        mode: "train",
        step,
        sampling,
        outputs: "all",
        routedExperts: false,
      };
    }),
  );
}

function advantagesOf(rollouts: readonly RolloutResult[], spec: EmbeddedSpec): (number | null)[] {
  const groups = Array.from({ length: spec.batch.train_batch_size }, (_, g) =>
    rollouts.slice(g * spec.batch.n, (g + 1) * spec.batch.n),
  );
  return groups.flatMap((group) =>
    groupAdvantages(
      group.map(({ reward }) => reward),
      spec.algorithm.norm_adv_by_std_in_grpo,
    ),
  );
}

/** One step of GRPO in sync mode: sample, score, update. Changes `state` in place; answers with its metrics. */
export async function trainStep(
  tools: StepTools,
  state: TrainerState,
  watch: Stopwatch,
): Promise<Record<string, number>> {
  const { spec, learner, config, client, runId } = tools;
  const { progress } = state;
  const step = progress.step + 1;
  const random = new Random(progress.taskRandomState);
  const tasks = Array.from({ length: spec.batch.train_batch_size }, () =>
    drawRepairTask(random, false),
  );
  const rollouts = await watch.time("gen", () =>
    client.runAll(requestsOf(runId, spec, step, tasks)),
  );
  const advantages = await watch.time("adv", async () => advantagesOf(rollouts, spec));
  const samples = rolloutSamples(rollouts, advantages);
  const { temperature } = spec.rollout;
  const old = await watch.time("old_log_prob", () => learner.score(samples, temperature));
  const { reference: referenceWeights } = tools;
  const reference = referenceWeights
    ? await watch.time("ref", () => learner.score(samples, temperature, referenceWeights))
    : null;
  const update = await watch.time("update_actor", () =>
    updatePolicy(learner, state.adam, samples, old, reference, {
      learningRate: spec.optim.lr,
      clipNorm: spec.optim.grad_clip,
      epochs: spec.optim.ppo_epochs,
      clipLow: spec.algorithm.clip_ratio_low,
      clipHigh: spec.algorithm.clip_ratio_high,
      klCoefficient: spec.algorithm.kl_loss_coef,
      entropyCoefficient: spec.algorithm.entropy_coeff,
      temperature,
    }),
  );
  progress.step = step;
  progress.adamUpdates = state.adam.updates;
  progress.taskRandomState = random.state;
  progress.rollouts += rollouts.length;
  progress.calls += rollouts.reduce((sum, { turns }) => sum + turns, 0);
  progress.tokens += sampledTokens(rollouts);
  progress.maxLogprobDiff = Math.max(
    progress.maxLogprobDiff,
    largestLogprobDifference(samples, old),
  );
  return {
    "training/global_step": step,
    "training/epoch": 0,
    "actor/lr": spec.optim.lr,
    "actor/entropy": mean(old.entropies.flatMap((values) => [...values])),
    ...(update && {
      "actor/loss": update.loss,
      "actor/pg_loss": update.pgLoss,
      "actor/pg_clipfrac": update.clipFraction,
      "actor/pg_clipfrac_lower": update.clipFractionLower,
      "actor/ppo_kl": update.kl,
      "actor/grad_norm": update.gradientNorm,
      "perf/mfu/actor":
        countTrainingFlops(update.shapes, config) / watch.of("update_actor") / tools.peakFlops,
    }),
    ...(update &&
      reference && {
        "actor/kl_loss": update.klLoss,
        "actor/kl_coef": spec.algorithm.kl_loss_coef,
      }),
    ...rolloutMetrics(rollouts, samples, {
      trainerVersion: step - 1,
      contextLength: config.max_position_embeddings,
    }),
    ...correctionMetrics(samples, old),
  };
}
