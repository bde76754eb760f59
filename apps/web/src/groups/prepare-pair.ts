import type { RolloutRow } from "@liverl/contract/views";

/** Which two rollouts to set against each other: those asked for, else a failed one against a solved one. */
export function preparePair(
  rollouts: readonly RolloutRow[],
  a: number | null,
  b: number | null,
): { a: RolloutRow | null; b: RolloutRow | null } {
  const at = (index: number | null) =>
    index === null ? undefined : rollouts.find((row) => row.index === index);
  const first =
    at(a) ??
    rollouts.find((row) => row !== at(b) && row.reward !== null && row.reward < 1) ??
    rollouts.find((row) => row !== at(b)) ??
    null;
  const second =
    at(b) ??
    rollouts.find((row) => row !== first && row.reward !== null && row.reward >= 1) ??
    rollouts.find((row) => row !== first) ??
    null;
  return { a: first, b: second };
}
