import type { TrainedColumns } from "@liverl/contract/trained-tokens";
import type { TrainedPage, TrainerNumber } from "@liverl/contract/trained-view";

/** A range of a segment's positions with what the trainer computed of them; null where it computed nothing. Pure. */
export function pageTrained(
  trained: { columns: TrainedColumns; segment: { outOfLoss: string | null } } | null,
  { from, size, total }: { from: number; size: number; total: number },
): TrainedPage {
  const page: TrainedPage = {
    ...{ from, trainerLogprobs: [], entropies: [], advantages: [], ratios: [], clipped: [] },
    values: trained?.columns.value ? [] : null,
  };
  if (!trained) return page;
  const { columns, segment } = trained;
  const { position } = columns;
  const isInLoss = segment.outOfLoss === null;
  const end = Math.min(from + size, total);
  let row = firstAtOrAfter(position, from);
  for (let at = from; at < end; at += 1) {
    const has = position[row] === at;
    const pick = (values: Float32Array) => (has ? toJson(values[row]) : null);
    page.trainerLogprobs.push(pick(columns.trainer_log_prob));
    page.entropies.push(pick(columns.entropy));
    page.advantages.push(pick(columns.advantage));
    page.ratios.push(isInLoss ? pick(columns.ratio) : null);
    page.clipped.push(has && isInLoss ? columns.clipped[row] === 1 : null);
    if (columns.value) page.values?.push(pick(columns.value));
    if (has) row += 1;
  }
  return page;
}

/** A float32 in as few digits as tell it from any other. */
function toJson(value = Number.NaN): TrainerNumber {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Infinity" : "-Infinity";
  return Number(value.toPrecision(9));
}

/** Index of the first of the ascending values that is not below `wanted`. */
function firstAtOrAfter(values: Int32Array, wanted: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
