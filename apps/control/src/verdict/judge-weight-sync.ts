import { COMPUTED_KEYS } from "@liverl/contract/metric";
import { advise, firstBound, logLinkOf, number, rolloutsLink } from "#verdict/advise.ts";
import { type Judge, LEVEL_STEPS, type RunEvidence } from "#verdict/evidence.ts";
import { findShift, type Sample, type Shift, samplesOf, valuesOf } from "#verdict/samples.ts";
import { median } from "#verdict/statistics.ts";

const PROBS_DIFF = "training/rollout_probs_diff_mean";

/** verl's actor logs it under a name of its own. */
export function klKeyOf({ signals }: Pick<RunEvidence, "signals">): string {
  return signals.has("rollout_corr/kl") ? "rollout_corr/kl" : "actor/rollout_corr/kl";
}

interface Parting {
  key: string;
  shift: Shift;
  words: string;
}

/**
 * A weight sync that broke what the engines run: engine and trainer, close before, part from one step to the next. Slow drift is no
 * sync. Two measures are looked at, because each is blind where the other sees: broken weights that sample noise give every token
 * a small probability, so that its difference stays small while the KL is large.
 */
export const judgeWeightSync: Judge = (evidence) => {
  const parting = firstOf([partingByProbs(evidence), partingByKl(evidence)]);
  if (!parting) return [];
  const { key, shift, words } = parting;
  const { start, end } = shift;
  const newest = samplesOf(evidence, key).at(-1);
  if (!newest || (end !== null && newest.step - end.step >= LEVEL_STEPS * 4)) return [];
  const version = versionAt(evidence, start);
  const ofStep = `step ${start.step}${version === null ? "" : ` (weights v${version})`}`;
  const before = number(median(valuesOf(shift.before)));
  const sync = shift.before.at(-1);
  return [
    {
      ...advise({
        id: "weight-sync",
        level: end === null ? "bad" : "warn",
        title: `Weights of engine and trainer part at ${ofStep}${end === null ? "" : `, recovered by step ${end.step}`}`,
        detail: `${words} jumped from ${before} to ${number(start.value)} between two steps: the weight sync before step ${start.step} brought the engines other weights than the trainer has. ${end === null ? "Stop, and resume from the last checkpoint before it." : "The next sync mended it; leave the steps between out of your conclusions."}`,
        ...{ key, at: start, untilStep: end?.step ?? null },
        links: [
          rolloutsLink("Its rollouts", `step = ${start.step}`),
          ...(sync ? [logLinkOf(sync, "engine-0", "Log of the sync")] : []),
        ],
      }),
      sinceStep: start.step,
    },
  ];
};

function partingByProbs(evidence: RunEvidence): Parting | null {
  const { warn, bad } = evidence.thresholds["probs-diff"];
  const shift = partingOf(evidence, samplesOf(evidence, PROBS_DIFF), bad ?? warn);
  return shift && { key: PROBS_DIFF, shift, words: "The mean difference of token probabilities" };
}

function partingByKl(evidence: RunEvidence): Parting | null {
  const { "rollout-kl": normal, "sync-jump": jump } = evidence.thresholds;
  // verl's bound warns of samples that are off-policy; broken weights are far beyond.
  const floor = firstBound(normal) * firstBound(jump);
  const key = klKeyOf(evidence);
  const samples = samplesOf(evidence, key).map((sample) => ({
    ...sample,
    value: Math.abs(sample.value),
  }));
  const shift = partingOf(evidence, samples, floor);
  return shift && { key, shift, words: "The |KL| between rollout and trainer" };
}

/** Beyond what is normal at all, and many times what was usual just before. */
function partingOf(
  { thresholds }: RunEvidence,
  samples: readonly Sample[],
  floor: number | null,
): Shift | null {
  const times = firstBound(thresholds["sync-jump"]);
  return findShift(
    samples,
    LEVEL_STEPS,
    (value, usual) => value > (floor ?? Number.POSITIVE_INFINITY) && value > times * median(usual),
  );
}

/** The one that began first; of two at one step the first of the list. */
function firstOf(partings: readonly (Parting | null)[]): Parting | null {
  const found = partings.flatMap((parting) => parting ?? []);
  const [first] = found.toSorted((a, b) => a.shift.start.step - b.shift.start.step);
  return first ?? null;
}

/** Newest weights that a step's rollouts were sampled with; null where no engine told. */
function versionAt(evidence: RunEvidence, { step }: Sample): number | null {
  const versions = samplesOf(evidence, COMPUTED_KEYS.weightVersion);
  return versions.find((sample) => sample.step === step)?.value ?? null;
}
