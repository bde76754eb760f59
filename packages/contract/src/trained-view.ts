import { z } from "zod";
import { Count32 } from "#int32.ts";
import { OutOfLoss, TrainedUpdate } from "#trained-tokens.ts";
import { MOST_TURN_TOKENS, OfSegment } from "#turn-view.ts";

/** A number of the trainer's, which need not be finite; null for a token that has none. `Number` reads it. */
const TrainerNumber = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]).nullable();
export type TrainerNumber = z.infer<typeof TrainerNumber>;

/** What the trainer computed of a range of a segment's tokens; arrays are equally long, and empty without a record. */
export const TrainedPage = z.object({
  /** Position of the first. */
  from: z.number().int(),
  /** Nats, by the trainer's weights before the update. */
  trainerLogprobs: z.array(TrainerNumber),
  /** Nats, of the distribution at the token's place, by the same weights. */
  entropies: z.array(TrainerNumber),
  advantages: z.array(TrainerNumber),
  /** As the loss of the last epoch saw it. */
  ratios: z.array(TrainerNumber),
  /** Whether the clip cut its gradient in that epoch. */
  clipped: z.array(z.boolean().nullable()),
  /** The critic's, before the update; null without a critic. */
  values: z.array(TrainerNumber).nullable(),
});
export type TrainedPage = z.infer<typeof TrainedPage>;

export const GetTrained = OfSegment.extend({
  /** Position in the segment. */
  from: Count32,
  size: z.number().int().positive().max(MOST_TURN_TOKENS),
});
export type GetTrained = z.infer<typeof GetTrained>;

/** How a quantity spreads over a segment's trained tokens. */
export const TrainedSpread = z.object({
  /** Tokens with a finite value; `mean`, `min` and `max` are over these, 0 where there is none. */
  count: z.number().int(),
  mean: z.number(),
  min: z.number(),
  max: z.number(),
  /** Tokens whose value is not finite. */
  odd: z.number().int(),
  /** Tokens by {@link TRAINED_SCALES}. */
  bins: z.array(z.number().int()),
});
export type TrainedSpread = z.infer<typeof TrainedSpread>;

/** What the update that took a segment computed of its tokens, as a whole. */
export const TrainedSummary = z.object({
  /** Why nothing is known, in words; null where it is. */
  why: z.string().nullable(),
  /** Whether it may be known soon. */
  isPending: z.boolean(),
  update: TrainedUpdate.omit({ format: true, runId: true, segments: true })
    .extend({ outOfLoss: OutOfLoss.nullable() })
    .nullable(),
  spreads: z
    .object({
      entropy: TrainedSpread,
      /** Null where the segment is out of the loss. */
      ratio: TrainedSpread.nullable(),
      /** |trainer − rollout log-prob|, nats. */
      mismatch: TrainedSpread,
      advantage: TrainedSpread,
    })
    .nullable(),
  /** Tokens whose gradient the clip cut in the last epoch. */
  clipped: z.number().int().nullable(),
});
export type TrainedSummary = z.infer<typeof TrainedSummary>;

/** How far a ratio is from 1, in units of the clip: ±1 is where the loss clips. A clip of 0 counts as 1e−6. */
export function clipUnits(ratio: number, { low, high }: TrainedUpdate["clip"]): number {
  return (ratio - 1) / Math.max(1e-6, ratio < 1 ? low : high);
}

interface Scale {
  bins: number;
  /** Value at the begin of the first bar and at the end of the last; what is outside counts in these. */
  range: readonly [number, number];
}
/** Bars of each quantity: entropy in nats, |Δ log-prob| by its decimal logarithm, ratio in {@link clipUnits}. */
export const TRAINED_SCALES = {
  entropy: { bins: 28, range: [0, 2.8] },
  mismatch: { bins: 28, range: [-7, 0] },
  // An odd number: what is 1, or 0, is in the middle of a bar and not on its edge.
  ratio: { bins: 29, range: [-2, 2] },
  advantage: { bins: 29, range: [-3, 3] },
} as const satisfies Record<string, Scale>;
export type TrainedQuantity = keyof typeof TRAINED_SCALES;

/** Bar of a value on the quantity's scale. */
export function trainedBin(quantity: TrainedQuantity, scaled: number): number {
  const { bins, range } = TRAINED_SCALES[quantity];
  const bin = Math.floor(((scaled - range[0]) / (range[1] - range[0])) * bins);
  return Math.max(0, Math.min(bins - 1, bin));
}
