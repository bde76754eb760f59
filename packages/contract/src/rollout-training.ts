import { z } from "zod";

/** What became of a rollout in training. */
export const TrainingState = z.enum([
  /** An update trained its tokens. */
  "trained",
  /** An update took it, and its advantage is 0: the rewards of its group are equal. */
  "no-advantage",
  /** An update took it, and nothing of its group was there to compare it with. */
  "alone",
  /** The run's trajectory filter kept it out. */
  "filtered",
  "no-reward",
  /** It sampled nothing. */
  "no-tokens",
  /** Its group's oldest token is too many versions behind for any update. */
  "stale",
  /** A later life of the trainer went on from before the update that took it, or never asked for it. */
  "lost",
  /** The run ended, or was over with its step, before an update took it. */
  "left",
  /** An update may still take it. */
  "waiting",
  /** An evaluation, or a session of no run. */
  "never",
  /** Its trainer does not tell. */
  "unknown",
]);
export type TrainingState = z.infer<typeof TrainingState>;

export const RolloutTraining = z.object({
  state: TrainingState,
  /** The step whose update took it; of what is lost, in the life that is gone. */
  step: z.number().int().nullable(),
  /** The filter's word for it. */
  reason: z.string().nullable(),
});
export type RolloutTraining = z.infer<typeof RolloutTraining>;

/** States of rollouts whose tokens no update trains, whatever their mask says. */
const OUT: ReadonlySet<TrainingState> = new Set<TrainingState>([
  ...(["alone", "filtered", "no-reward", "no-tokens", "stale", "lost", "left", "never"] as const),
]);

/** Whether it is settled that the rollout's tokens trained nothing: its mask is 1 on tokens that no update took. */
export const isOutOfTraining = ({ state }: Pick<RolloutTraining, "state">): boolean =>
  OUT.has(state);

/** What became of it, in a few words; null where nobody tells. */
export function describeTraining({ state, step, reason }: RolloutTraining): string | null {
  switch (state) {
    case "trained":
      return step === null ? "trained" : `trained in step ${step}`;
    case "no-advantage":
      return `no advantage${step === null ? "" : ` in step ${step}`}: equal rewards`;
    case "alone":
      return `not trained: no other reward in its group`;
    case "filtered":
      return `filtered out${reason === null ? "" : `: ${reason}`}`;
    case "no-reward":
      return "not trained: no reward";
    case "no-tokens":
      return "not trained: nothing sampled";
    case "stale":
      return "not trained: too old";
    case "lost":
      return step === null ? "lost by a resume" : `lost by a resume: its step ${step} was undone`;
    case "left":
      return "not trained: no update took it";
    case "waiting":
      return "not trained yet";
    case "never":
      return "trains nothing";
    case "unknown":
      return null;
  }
}
