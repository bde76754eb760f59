import type { Pool } from "pg";
import type { Table } from "#archives/archive-format.ts";

const ROWS_PER_PART = 500;

/** How a table's rows of a run are found, and a key by which they are read on. */
const OF_RUN: Record<Table, { where: string; key: string }> = {
  run: { where: "t.id = $1", key: "t.id" },
  run_event: { where: "t.run_id = $1", key: "lpad(t.id::text, 12, '0')" },
  boot_phase: { where: "t.run_id = $1", key: "t.attempt || '/' || t.phase" },
  checkpoint: { where: "t.run_id = $1", key: "lpad(t.step::text, 12, '0')" },
  rollout: { where: "t.run_id = $1", key: "t.rollout_id" },
  taken_rollout: { where: "t.run_id = $1", key: "t.rollout_id" },
  series: { where: "t.run_id = $1", key: "lpad(t.id::text, 12, '0')" },
  chunk: {
    where: "t.series_id IN (SELECT id FROM series WHERE run_id = $1)",
    key: "lpad(t.series_id::text, 12, '0') || '/' || lpad(t.slot::text, 12, '0')",
  },
  rollup: {
    where: "t.series_id IN (SELECT id FROM series WHERE run_id = $1)",
    key: "lpad(t.series_id::text, 12, '0') || '/' || lpad(t.level::text, 4, '0') || '/' || lpad(t.slot::text, 12, '0')",
  },
};

/** The rows of a run in one table as lines of JSON, some hundred at a time, each list in memory alone. */
export async function* readRows(pool: Pool, table: Table, runId: string): AsyncGenerator<string> {
  const { where, key } = OF_RUN[table];
  for (let after = ""; ; ) {
    const { rows } = await pool.query<{ at: string; line: string }>(
      `SELECT ${key} COLLATE "C" AS at, row_to_json(t)::text AS line FROM ${table} t
       WHERE ${where} AND ${key} COLLATE "C" > $2 ORDER BY 1 LIMIT ${ROWS_PER_PART}`,
      [runId, after],
    );
    if (rows.length > 0) yield rows.map(({ line }) => `${line}\n`).join("");
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_PER_PART) return;
    after = last.at;
  }
}
