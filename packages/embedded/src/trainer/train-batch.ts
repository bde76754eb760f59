import type { EmbeddedSpec } from "@liverl/contract/launch";
import type { RolloutResult } from "@liverl/contract/rollout";
import type { Learner, Scores } from "#learner/learner.ts";
import { type UpdateMetrics, updatePolicy } from "#learner/policy-update.ts";
import type { RolloutSample } from "#learner/rollout-samples.ts";
import type { CriticMetrics, ValueHead } from "#learner/value-head.ts";
import type { ModelConfig } from "#model/architecture.ts";
import type { Parameters } from "#model/parameters.ts";
import { largestLogprobDifference } from "#trainer/correction-metrics.ts";
import { estimateByValues, samplesOf } from "#trainer/estimate-advantages.ts";
import type { PeakFlops } from "#trainer/measure-peak.ts";
import { sampledTokens } from "#trainer/rollout-metrics.ts";
import type { Stopwatch } from "#trainer/stopwatch.ts";
import { type TrainerState, versionOf } from "#trainer/trainer-state.ts";

export interface BatchTools {
  runId: string;
  spec: EmbeddedSpec;
  config: ModelConfig;
  learner: Learner;
  /** Of `gae` alone; over the state's critic. */
  valueHead: ValueHead | null;
  /** Weights that the KL term pulls towards; null when its coefficient is 0. */
  reference: Parameters | null;
  peak: PeakFlops;
}

/** What one update took and did. */
export interface TrainedBatch {
  rollouts: RolloutResult[];
  samples: RolloutSample[];
  /** The trainer's own scores before the update. */
  scores: Scores;
  /** Per sample, along its positions; null without a value head. */
  values: number[][] | null;
  /** Null where nothing trained. */
  actor: UpdateMetrics | null;
  critic: CriticMetrics | null;
  /** Whether the KL to the reference was in the loss. */
  hasReference: boolean;
  /** Whether the weights that scored are those that the engines have. */
  isSynced: boolean;
}

/**
 * One update on groups of rollouts: score, estimate, update critic and policy. Changes `state` in place; the same state and
 * groups give the same bits. `isSynced`: the policy is still the one that the engines have.
 */
export async function trainBatch(
  tools: BatchTools,
  state: TrainerState,
  groups: readonly (readonly RolloutResult[])[],
  watch: Stopwatch,
  isSynced: boolean,
): Promise<TrainedBatch> {
  const { spec, learner, valueHead } = tools;
  const { temperature } = spec.rollout;
  const rollouts = groups.flat();
  const drawn = await watch.time("adv", async () => samplesOf(groups, spec));
  const scores = await watch.time("old_log_prob", () => learner.score(drawn, temperature));
  const values = valueHead && (await watch.time("values", () => valueHead.values(scores.features)));
  const samples = values
    ? await watch.time("adv", async () => estimateByValues(drawn, values, spec.algorithm))
    : drawn;
  const weights = tools.reference;
  const reference = weights
    ? await watch.time("ref", () => learner.score(samples, temperature, weights))
    : null;
  const critic =
    valueHead && values
      ? await watch.time("update_critic", () =>
          valueHead.update(
            scores.features,
            { old: values.flat(), returns: samples.flatMap(({ returns }) => returns) },
            criticSettings(spec),
          ),
        )
      : null;
  // As verl has it, the policy joins in the step that `critic_warmup` names.
  const isWarm = !valueHead || spec.critic.critic_warmup <= state.progress.step + 1;
  const actor = isWarm
    ? await watch.time("update_actor", () =>
        updatePolicy(
          learner,
          state.adam,
          samples,
          behaviour(spec, samples, scores),
          reference,
          actorSettings(spec),
        ),
      )
    : null;
  count(state, { rollouts, samples, scores, isSynced });
  const hasReference = reference !== null;
  return { rollouts, samples, scores, values, actor, critic, hasReference, isSynced };
}

/**
 * What the ratio compares with. In sync mode the trainer's own log-probs, as in verl. Apart from the engines, rollouts are of
 * several versions, and the ratio is to the weights that sampled them: the engines' log-probs (verl's bypass mode).
 */
function behaviour(spec: EmbeddedSpec, samples: readonly RolloutSample[], scores: Scores) {
  return spec.algorithm.trainer_mode === "sync"
    ? scores
    : { logProbabilities: samples.map(({ sampled }) => Float32Array.from(sampled)) };
}

function actorSettings({ optim, algorithm, rollout }: EmbeddedSpec) {
  return {
    learningRate: optim.lr,
    clipNorm: optim.grad_clip,
    epochs: optim.ppo_epochs,
    clipLow: algorithm.clip_ratio_low,
    clipHigh: algorithm.clip_ratio_high,
    klCoefficient: algorithm.kl_loss_coef,
    entropyCoefficient: algorithm.entropy_coeff,
    temperature: rollout.temperature,
  };
}

function criticSettings({ critic }: EmbeddedSpec) {
  return {
    learningRate: critic.lr,
    clipNorm: critic.grad_clip,
    epochs: critic.ppo_epochs,
    cliprangeValue: critic.cliprange_value,
  };
}

function count(
  { progress, adam }: TrainerState,
  {
    rollouts,
    samples,
    scores,
    isSynced,
  }: Pick<TrainedBatch, "rollouts" | "samples" | "scores"> & { isSynced: boolean },
): void {
  progress.adamUpdates = adam.updates;
  progress.rollouts += rollouts.length;
  progress.calls += rollouts.reduce((sum, { turns }) => sum + turns, 0);
  progress.tokens += sampledTokens(rollouts);
  // Engine and trainer agree only on tokens that were sampled with the weights which the trainer scores with.
  if (isSynced)
    progress.maxLogprobDiff = Math.max(
      progress.maxLogprobDiff,
      largestLogprobDifference(samples, scores, versionOf(progress)),
    );
}
