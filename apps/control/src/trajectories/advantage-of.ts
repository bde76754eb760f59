import { describeTraining, isOutOfTraining } from "@liverl/contract/rollout-training";
import type { TrainedSpread } from "@liverl/contract/trained-view";
import type { RolloutRow, TrajectoryView } from "@liverl/contract/views";
import { settledSpec } from "#launch/effective-spec.ts";

/**
 * The advantage that a rollout's tokens were trained with, or why it can not be told. `recorded`: how the trainer's own
 * spread over them, where it kept a record. Pure.
 */
export function advantageOf(
  spec: unknown,
  row: Pick<RolloutRow, "mode" | "reward" | "advantage" | "status" | "training">,
  recorded?: Pick<TrainedSpread, "count" | "min" | "mean" | "max">,
): TrajectoryView["advantage"] {
  const unknown = (why: string) => ({ value: null, why });
  if (recorded && recorded.count > 0) {
    if (recorded.min === recorded.max) return { value: recorded.mean, why: null };
    const [least, mean, most] = [recorded.min, recorded.mean, recorded.max].map((one) =>
      one.toFixed(2),
    );
    return unknown(
      `The critic gave each token its own: ${least} to ${most}, ${mean} in the mean. The lens shows them.`,
    );
  }
  const settled = settledSpec(spec);
  const estimator = settled?.algorithm.adv_estimator ?? null;
  if (row.mode === "eval")
    return unknown("An evaluation's rollouts are not compared with each other, and train nothing.");
  if (estimator === "gae")
    return unknown(
      "The critic gives each token its own advantage, and there is no record of them.",
    );
  if (estimator !== null && estimator !== "grpo")
    return unknown(`The trainer's estimator is ${estimator}, and it records no advantages.`);
  if (row.status === "queued" || row.status === "running")
    return unknown("It is known when the rollout has its reward.");
  if (row.reward === null) return unknown("A rollout without a reward has none.");
  if (isOutOfTraining(row.training) && row.training.state !== "alone")
    return unknown(`It has none: ${describeTraining(row.training)}.`);
  if (row.advantage === null) return unknown("There is no other rollout of its group to compare.");
  return { value: row.advantage, why: null };
}
