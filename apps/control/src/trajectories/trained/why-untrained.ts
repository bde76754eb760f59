import { isTerminal, type RunStatus } from "@liverl/contract/run";
import type { TrainedSummary } from "@liverl/contract/trained-view";

/** What is known of a segment that no record of an update has. */
export interface Untrained {
  /** Null of a session without a run. */
  run: { driver: string; status: RunStatus; staleness: number } | null;
  rollout: { mode: string; status: string; reward: number | null; step: number | null };
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
  return ofUpdates(run, known);
}

function ofUpdates(
  { status, staleness }: NonNullable<Untrained["run"]>,
  { rollout, newestStep }: Untrained,
) {
  // Apart from the engines, a rollout may wait for as many versions as it may be stale.
  const last = (rollout.step ?? 0) + staleness;
  if (!isTerminal(status) && (newestStep ?? 0) < last)
    return soon("No update has taken this rollout yet.");
  if (newestStep === null)
    return never(
      "There is no record of what this run's updates computed: the run is older than such records, or they were deleted with its trials.",
    );
  return never(
    "No update took this rollout: the trajectory filter kept it out, its group had no other reward, its tokens were too old, the run ended first, or a resume left its update behind.",
  );
}
