import type { UpdateMetrics } from "#learner/policy-update.ts";
import type { CriticMetrics } from "#learner/value-head.ts";
import { agreementMetrics, correctionMetrics } from "#trainer/correction-metrics.ts";
import { countTrainingFlops } from "#trainer/measure-peak.ts";
import { rolloutMetrics } from "#trainer/rollout-metrics.ts";
import type { Stopwatch } from "#trainer/stopwatch.ts";
import { mean, spread, standardDeviation } from "#trainer/summarize.ts";
import type { BatchTools, TrainedBatch } from "#trainer/train-batch.ts";

/** A step's metrics under verl's names, over all its updates. `version`: the weights that the engines had meanwhile. */
export function stepMetrics(
  { spec, config, peak }: Pick<BatchTools, "spec" | "config" | "peak">,
  batches: readonly TrainedBatch[],
  { step, version, watch }: { step: number; version: number; watch: Stopwatch },
): Record<string, number> {
  const rollouts = batches.flatMap((batch) => batch.rollouts);
  const samples = batches.flatMap((batch) => batch.samples);
  const scores = {
    logProbabilities: batches.flatMap((batch) => batch.scores.logProbabilities),
    entropies: batches.flatMap((batch) => batch.scores.entropies),
  };
  const updates = batches.flatMap(({ actor }) => actor ?? []);
  const flops = countTrainingFlops(
    updates.flatMap(({ shapes }) => shapes),
    config,
  );
  const hasReference = batches.some((batch) => batch.hasReference);
  return {
    "training/global_step": step,
    "training/epoch": 0,
    "actor/lr": spec.optim.lr,
    "actor/entropy": mean(scores.entropies.flatMap((values) => [...values])),
    ...(updates.length > 0 && {
      ...actorMetrics(updates),
      "perf/mfu/actor": peak.shareOf(flops / watch.of("update_actor")),
    }),
    ...(updates.length > 0 &&
      hasReference && {
        "actor/kl_loss": mean(updates.map(({ klLoss }) => klLoss)),
        "actor/kl_coef": spec.algorithm.kl_loss_coef,
      }),
    ...rolloutMetrics(rollouts, samples, {
      trainerVersion: version,
      contextLength: config.max_position_embeddings,
    }),
    ...correctionMetrics(samples, scores),
    ...agreementMetrics(
      batches.map((batch) => ({ ...batch, version: batch.isSynced ? version : null })),
    ),
    ...criticMetrics(batches, spec.critic.lr),
  };
}

function actorMetrics(updates: readonly UpdateMetrics[]): Record<string, number> {
  const over = (read: (update: UpdateMetrics) => number) => mean(updates.map(read));
  return {
    "actor/loss": over(({ loss }) => loss),
    "actor/pg_loss": over(({ pgLoss }) => pgLoss),
    "actor/pg_clipfrac": over(({ clipFraction }) => clipFraction),
    "actor/pg_clipfrac_lower": over(({ clipFractionLower }) => clipFractionLower),
    "actor/ppo_kl": over(({ kl }) => kl),
    "actor/grad_norm": over(({ gradientNorm }) => gradientNorm),
  };
}

function criticMetrics(batches: readonly TrainedBatch[], lr: number): Record<string, number> {
  const updates = batches.flatMap(({ critic }) => critic ?? []);
  if (updates.length === 0) return {};
  const over = (read: (update: CriticMetrics) => number) => mean(updates.map(read));
  const values = batches.flatMap((batch) => batch.values ?? []).flat();
  const returns = batches.flatMap(({ samples }) => samples.flatMap((sample) => sample.returns));
  const variance = standardDeviation(returns) ** 2;
  const left = standardDeviation(returns.map((value, i) => value - values[i])) ** 2;
  return {
    ...spread("critic/values", values),
    "critic/vf_explained_var": 1 - left / (variance + 1e-5),
    "critic/vf_loss": over(({ vfLoss }) => vfLoss),
    "critic/vf_clipfrac": over(({ vfClipFraction }) => vfClipFraction),
    "critic/vpred_mean": over(({ vpredMean }) => vpredMean),
    "critic/grad_norm": over(({ gradientNorm }) => gradientNorm),
    "critic/lr": lr,
  };
}
