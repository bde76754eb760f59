import { describeTraining, type RolloutTraining } from "@liverl/contract/rollout-training";
import { isTerminal, type RunStatus } from "@liverl/contract/run";
import type { TrainedSummary } from "@liverl/contract/trained-view";

/** What is known of a segment that no record of an update has. */
export interface Untrained {
  /** Null of a session without a run. */
  run: { driver: string; status: RunStatus; staleness: number } | null;
  rollout: { mode: string; status: string; reward: number | null; step: number | null };
  /** What became of the rollout, where the trainer's records tell. */
  training: RolloutTraining;
  segment: { trainable: boolean; reason: string | null } | null;
  /** The last step that has a record; null where the run has none. */
  newestStep: number | null;
}

/** Why nothing is known of what the trainer computed of a segment, in words. Pure. */
export function whyUntrained(known: Untrained): TrainedSummary {
  const why = reasonOf(known);
  return {
    ...{ why: why.text, isPending: why.isPending },
    ...{ update: null, spreads: null, clipped: null },
  };
}

const never = (text: string) => ({ text, isPending: false });
const soon = (text: string) => ({ text, isPending: true });

function reasonOf(known: Untrained): { text: string; isPending: boolean } {
  const { run, rollout, segment } = known;
  if (run === null) return never("A session without a run has no trainer.");
  if (rollout.mode === "eval")
    return never("An evaluation trains nothing: no update looked at its tokens.");
  if (run.driver !== "embedded")
    return never(
      "This run's trainer reports nothing per token. Known is what was recorded while sampling: log-probs, mask, weight versions.",
    );
  if (rollout.status === "queued" || rollout.status === "running")
    return soon("The update that takes this rollout comes after its end.");
  if (segment?.trainable === false)
    return never(`This segment trains nothing: ${segment.reason ?? "no reason is given"}.`);
  if (rollout.reward === null) return never("No update takes a rollout without a reward.");
  return ofRecords(known.training) ?? ofUpdates(run, known);
}

const NOT_TAKEN: Partial<Record<RolloutTraining["state"], string>> = {
  alone:
    "The update took this rollout without training it: no other of its group has a reward to compare with.",
  stale:
    "No update took this rollout: when its turn came, its group's oldest token was too many versions behind.",
  left: "No update took this rollout: the run, or its step, was over before.",
  "no-tokens": "No update takes a rollout that sampled nothing.",
};

/** Null where the records leave it open. */
function ofRecords(training: RolloutTraining): { text: string; isPending: boolean } | null {
  if (training.state === "filtered")
    return never(
      `The run's trajectory filter kept this rollout out of the update: ${training.reason}.`,
    );
  if (training.state === "lost")
    return never(
      training.step === null
        ? "No update took this rollout: the trainer's life that asked for it ended before."
        : `The update that took this rollout, of step ${training.step}, was left behind by a resume from before it.`,
    );
  const words = NOT_TAKEN[training.state];
  return words === undefined ? null : never(words);
}

function ofUpdates(
  { status, staleness }: NonNullable<Untrained["run"]>,
  { rollout, newestStep, training }: Untrained,
) {
  // Apart from the engines, a rollout may wait for as many versions as it may be stale.
  const last = (rollout.step ?? 0) + staleness;
  if (!isTerminal(status) && (newestStep ?? 0) < last)
    return soon("No update has taken this rollout yet.");
  if (newestStep === null)
    return never(
      "There is no record of what this run's updates computed: the run is older than such records, or they were deleted with its trials.",
    );
  if (training.state === "waiting") return soon("No update has taken this rollout yet.");
  return never(
    training.state === "unknown"
      ? "No update took this segment, as far as records tell."
      : `There is no record of what the update computed of this segment (${describeTraining(training)}).`,
  );
}
