import type { CheckpointRow } from "@liverl/contract/views";

export interface CheckpointStats {
  onDisk: number;
  total: number;
  diskBytes: number;
  /** Highest held-out reward, the later one of equals. */
  best: CheckpointRow | null;
  last: CheckpointRow | null;
  /** How many more of the usual size fit; null when no size is known. */
  moreFit: number | null;
}

export function prepareStats(rows: readonly CheckpointRow[], freeBytes: number): CheckpointStats {
  const kept = rows.filter((row) => row.onDisk);
  const diskBytes = kept.reduce((sum, row) => sum + row.sizeBytes, 0);
  const last = rows.reduce<CheckpointRow | null>(
    (newest, row) => (newest === null || row.step > newest.step ? row : newest),
    null,
  );
  const best = rows.reduce<CheckpointRow | null>((top, row) => {
    if (row.heldOutReward === null) return top;
    if (top === null || top.heldOutReward === null || row.heldOutReward > top.heldOutReward)
      return row;
    return row.heldOutReward === top.heldOutReward && row.step > top.step ? row : top;
  }, null);
  const each = kept.length === 0 ? 0 : diskBytes / kept.length;
  return {
    onDisk: kept.length,
    total: rows.length,
    diskBytes,
    best,
    last,
    moreFit: each > 0 ? Math.floor(freeBytes / each) : null,
  };
}

/** Steps as places 0…1 on the run's line, from 0 to the last known step or the plan's end. */
export function prepareLine(
  rows: readonly CheckpointRow[],
  step: number,
  plannedSteps: number | null,
): { end: number; ticks: number[] } {
  const end = Math.max(1, step, plannedSteps ?? 0, ...rows.map((row) => row.step));
  const raw = end / 6;
  const decade = 10 ** Math.floor(Math.log10(raw));
  const size = Math.max(1, ([1, 2, 5, 10].find((factor) => factor * decade >= raw) ?? 10) * decade);
  return { end, ticks: Array.from({ length: Math.floor(end / size) + 1 }, (_, at) => at * size) };
}
