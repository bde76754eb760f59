import { causalMask } from "#onnx/causal-mask.ts";
import { type Feeds, floats, longs } from "#onnx/open-session.ts";

/** What one sequence trains or scores. `positions[k]` predicts `ids[positions[k] + 1]`; the other lists run along it. */
export interface Sample {
  ids: readonly number[];
  positions: readonly number[];
}

export interface Batch {
  /** Indices of the samples, in the order of the batch's rows. */
  members: number[];
  length: number;
  feeds: Feeds;
  ids: BigInt64Array;
  previous: BigInt64Array;
}

const LENGTH_STEP = 8;

/** Groups sample indices by length, so that little is padded. Depends on the samples alone. */
export function planBatches(samples: readonly Sample[], size: number): number[][] {
  const order = samples
    .map((_, i) => i)
    .sort((a, b) => lengthOf(samples, a) - lengthOf(samples, b) || a - b);
  const batches: number[][] = [];
  for (let at = 0; at < order.length; at += size) batches.push(order.slice(at, at + size));
  return batches;
}

function lengthOf(samples: readonly Sample[], index: number): number {
  return samples[index]?.ids.length ?? 0;
}

/** Feeds `ids`, `previous`, `positions`, `mask`, `rows` and `targets` for some samples, padded at the right. */
export function packBatch(samples: readonly Sample[], members: number[]): Batch {
  const longest = Math.max(...members.map((index) => lengthOf(samples, index)));
  // The last id of a sequence is only predicted.
  const length = Math.max(LENGTH_STEP, Math.ceil((longest - 1) / LENGTH_STEP) * LENGTH_STEP);
  const count = members.length * length;
  const ids = new BigInt64Array(count);
  const previous = new BigInt64Array(count);
  const positions = new BigInt64Array(count);
  const rows: bigint[] = [];
  const targets: bigint[] = [];
  members.forEach((index, row) => {
    const sample = samples[index];
    for (let t = 0; t < length; t++) {
      const at = row * length + t;
      positions[at] = BigInt(t);
      if (t + 1 >= sample.ids.length) continue;
      ids[at] = BigInt(sample.ids[t]);
      previous[at] = t > 0 ? ids[at - 1] : 0n;
    }
    for (const position of sample.positions) {
      rows.push(BigInt(row * length + position));
      targets.push(BigInt(sample.ids[position + 1]));
    }
  });
  const shape = [members.length, length];
  const feeds: Feeds = {
    ids: longs(ids, shape),
    previous: longs(previous, shape),
    positions: longs(positions, shape),
    mask: floats(causalMask(length), [1, 1, length, length]),
    rows: longs(BigInt64Array.from(rows), [rows.length]),
    targets: longs(BigInt64Array.from(targets), [targets.length]),
  };
  return { members, length, feeds, ids, previous };
}
