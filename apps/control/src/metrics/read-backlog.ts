import type { Pool } from "pg";
import { inTransaction } from "#database/in-transaction.ts";
import { emptyPoints, pushPoint } from "#metrics/chunk-points.ts";
import { type ChunkRow, pointsOfRow } from "#metrics/chunk-rows.ts";
import type { Backlog } from "#metrics/ingest.ts";
import { queryArrays } from "#metrics/query-arrays.ts";

/** Points of a run whose newest write has a journal number above `after`. */
export function readBacklog(pool: Pool, runId: string, after: number): Promise<Backlog> {
  return inTransaction(
    pool,
    async (client) => {
      const state = await client.query<{ folded_seq: string }>(
        "SELECT folded_seq FROM ingest_state WHERE id = 1",
      );
      const { rows } = await queryArrays<ChunkRow & { key: string }>(
        client,
        `SELECT s.key, c.steps, c.values, c.flags, c.wall_ms, c.seqs FROM series s JOIN chunk c ON c.series_id = s.id
         WHERE s.run_id = $1 AND c.max_seq > $2 ORDER BY s.key, c.slot`,
        [runId, after],
      );
      const backlog: Backlog = {
        cursor: Number(state.rows[0]?.folded_seq ?? 0),
        series: new Map(),
      };
      for (const row of rows) {
        const points = pointsOfRow(row);
        const columns = backlog.series.get(row.key) ?? emptyPoints();
        backlog.series.set(row.key, columns);
        for (const [i, seq] of points.seq.entries()) {
          if (seq <= after) continue;
          pushPoint(columns, {
            step: points.step[i] ?? 0,
            value: points.value[i] ?? null,
            flag: points.flag[i] ?? 0,
            wallMs: points.wallMs[i] ?? 0,
            seq,
          });
        }
      }
      return backlog;
    },
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
  );
}
