export interface Bins {
  /** Lower edge of the first bin. */
  low: number;
  /** Upper edge of the last bin. */
  high: number;
  count: number;
}

const AIM = 24;
const ROUND = [1, 2, 2.5, 5, 10];

/**
 * About 24 bins of a round width that cover `low`…`high`, so that they stay where they are while values come.
 * Whole numbers get bins that hold whole numbers, each number in the middle of its own.
 */
export function chooseBins(low: number, high: number, isWhole: boolean): Bins {
  const width = widthOf(low, high, isWhole);
  const shift = isWhole ? 0.5 : 0;
  const first = Math.floor(low / width + 1e-9);
  const end = isWhole
    ? Math.floor(high / width) + 1
    : Math.max(first + 1, Math.ceil(high / width - 1e-9));
  const edge = (index: number) => Number((index * width - shift).toPrecision(12));
  return { low: edge(first), high: edge(end), count: end - first };
}

function widthOf(low: number, high: number, isWhole: boolean): number {
  const size = Math.max(Math.abs(low), Math.abs(high));
  // Narrower than doubles can count in: one bin.
  const areAlike = high - low <= Math.max(size * 1e-9, 1e-200);
  if (areAlike && !isWhole) return size <= 1e-200 ? 1 : 10 ** Math.ceil(Math.log10(size));
  const raw = (high - low) / AIM;
  if (isWhole && raw <= 1) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  const round = (ROUND.find((factor) => factor * magnitude >= raw * 0.999) ?? 10) * magnitude;
  return isWhole ? Math.ceil(round) : round;
}
