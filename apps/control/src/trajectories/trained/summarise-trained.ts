import {
  clipUnits,
  TRAINED_SCALES,
  type TrainedQuantity,
  type TrainedSpread,
  type TrainedSummary,
  trainedBin,
} from "@liverl/contract/trained-view";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import { lossyTurnsOf } from "#trajectories/lossy-turns.ts";
import { nodesOf, type Segment } from "#trajectories/segment-path.ts";
import type { Trained } from "#trajectories/trained/find-trained.ts";

/** How what the trainer computed spreads over the segment. Pure. */
export function summariseTrained(
  trajectory: ProxyTrajectory,
  segment: Segment,
  { update, segment: { outOfLoss }, columns }: Trained,
): TrainedSummary {
  const { format: _, runId: __, segments: ___, ...known } = update;
  const sampled = sampledLogprobs(trajectory, segment);
  const mismatch = columns.trainer_log_prob.map((value, row) =>
    Math.abs(value - (sampled[columns.position[row] ?? -1] ?? Number.NaN)),
  );
  const ratio = (value: number) => clipUnits(value, update.clip);
  return {
    ...{ why: null, isPending: false },
    update: { ...known, outOfLoss },
    spreads: {
      entropy: spread("entropy", columns.entropy),
      ratio: outOfLoss === null ? spread("ratio", columns.ratio, ratio) : null,
      mismatch: spread("mismatch", mismatch, Math.log10),
      advantage: spread("advantage", columns.advantage),
    },
    clipped: outOfLoss === null ? columns.clipped.reduce((sum, one) => sum + one, 0) : null,
  };
}

/** Log-probs by position, NaN for a token without one. */
function sampledLogprobs(trajectory: ProxyTrajectory, segment: Segment): Float64Array {
  const nodes = nodesOf(trajectory, segment);
  const total = nodes.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
  const known = new Float64Array(total).fill(Number.NaN);
  let start = 0;
  for (const node of nodes) {
    if (node.kind === "sampled") known.set(node.logprobs, start);
    for (const { from, logprobs } of lossyTurnsOf(node, segment))
      (logprobs ?? []).forEach((value, at) => {
        known[start + from + at] = value ?? Number.NaN;
      });
    start += node.tokenIds.length;
  }
  return known;
}

function spread(
  quantity: TrainedQuantity,
  values: Float32Array,
  scale = (value: number) => value,
): TrainedSpread {
  const bins = new Array<number>(TRAINED_SCALES[quantity].bins).fill(0);
  const told = { count: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY, odd: 0 };
  let sum = 0;
  for (const value of values) {
    if (!Number.isFinite(value)) {
      told.odd += 1;
      continue;
    }
    const bin = trainedBin(quantity, scale(value));
    bins[bin] = (bins[bin] ?? 0) + 1;
    told.count += 1;
    told.min = Math.min(told.min, value);
    told.max = Math.max(told.max, value);
    sum += value;
  }
  if (told.count === 0) return { ...told, mean: 0, min: 0, max: 0, bins };
  return { ...told, mean: sum / told.count, bins };
}
