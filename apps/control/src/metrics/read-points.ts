import type { Pool } from "pg";
import { CHUNK_STEPS, emptyPoints, type Points, pushPoint, slotOf } from "#metrics/chunk-points.ts";
import { type ChunkRow, pointsOfRow } from "#metrics/chunk-rows.ts";
import type { ReadPoints } from "#metrics/ingest.ts";
import { queryArrays } from "#metrics/query-arrays.ts";

/** Chunks hold one point or more: this many are enough for any page, and few when they are full. */
const rowsFor = (limit: number) => Math.ceil(limit / CHUNK_STEPS) + 2;

/** The points of a series as they are, by step: at most `limit`, from step `from` on. */
export async function readPoints(
  pool: Pool,
  { runId, key, from, limit }: ReadPoints,
): Promise<Points> {
  const points = emptyPoints();
  for (let slot = slotOf(from); points.step.length < limit; ) {
    const { rows } = await queryArrays<ChunkRow>(
      pool,
      `SELECT c.slot, c.steps, c.values, c.flags, c.wall_ms, c.seqs FROM series s JOIN chunk c ON c.series_id = s.id
       WHERE s.run_id = $1 AND s.key = $2 AND c.slot >= $3 ORDER BY c.slot LIMIT $4`,
      [runId, key, slot, rowsFor(limit)],
    );
    for (const row of rows) append(points, pointsOfRow(row), from, limit);
    const last = rows.at(-1);
    if (!last || rows.length < rowsFor(limit)) break;
    slot = last.slot + 1;
  }
  return points;
}

function append(to: Points, chunk: Points, from: number, limit: number): void {
  for (const [i, step] of chunk.step.entries()) {
    if (step < from) continue;
    if (to.step.length === limit) return;
    pushPoint(to, {
      step,
      value: chunk.value[i] ?? null,
      flag: chunk.flag[i] ?? 0,
      wallMs: chunk.wallMs[i] ?? 0,
      seq: chunk.seq[i] ?? 0,
    });
  }
}
