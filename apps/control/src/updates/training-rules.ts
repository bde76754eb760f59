import { isTerminal, RunStatus } from "@liverl/contract/run";
import { settledSpec } from "#launch/effective-spec.ts";
import { type Drops, dropsOf } from "#rollouts/why-filtered.ts";

/** How a run's trainer goes about with rollouts, from its spec. */
export interface TrainingRules {
  /** It writes down what its updates take. */
  tells: boolean;
  /** It asks for rollouts ahead of the update that takes them. */
  asksAhead: boolean;
  /** Versions that a group's oldest token may be behind. */
  maxStaleness: number;
  dropped: Drops | null;
  /** Advantages are rewards against those of the group: where these are equal, nothing trains. */
  comparesGroup: boolean;
  /** GRPO's way, which is known to the digit. */
  isGrpo: boolean;
  dividesByStd: boolean;
  /** Terms of the loss beside the advantage touch every token. */
  hasOtherTerms: boolean;
  isOver: boolean;
}

/** Estimators that compare the rollouts of a task with each other. */
const OF_GROUP = new Set(["grpo", "rloo", "opo"]);

/** Pure. Of a run without a spec, or of none, as GRPO has it, without a word on what trained. */
export function trainingRules(run: { spec: unknown; status: string } | null): TrainingRules {
  const spec = settledSpec(run?.spec);
  const isOver = run !== null && isTerminal(RunStatus.parse(run.status));
  if (spec === null)
    return {
      ...{ tells: false, asksAhead: false, maxStaleness: 0, dropped: null, comparesGroup: true },
      ...{ isGrpo: true, dividesByStd: true, hasOtherTerms: false, isOver },
    };
  const { algorithm } = spec;
  const isEmbedded = spec.driver === "embedded";
  return {
    tells: isEmbedded,
    asksAhead: isEmbedded && algorithm.trainer_mode !== "sync",
    maxStaleness: Math.ceil(spec.async.staleness_threshold),
    dropped: dropsOf(spec.trajectory_filter),
    comparesGroup: OF_GROUP.has(algorithm.adv_estimator),
    isGrpo: algorithm.adv_estimator === "grpo",
    dividesByStd: algorithm.norm_adv_by_std_in_grpo,
    hasOtherTerms: algorithm.kl_loss_coef > 0 || algorithm.entropy_coeff > 0,
    isOver,
  };
}
