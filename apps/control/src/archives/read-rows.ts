import { ReplayWeights } from "@liverl/contract/replay";
import type { Pool } from "pg";
import { z } from "zod";
import type { Table } from "#archives/archive-format.ts";
import { withoutUserinfo } from "#archives/rows/replay-rows.ts";

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
  // One that is under way has no end that an archive could hold.
  replay: { where: "t.run_id = $1 AND t.ended_at IS NOT NULL", key: "t.id" },
  replay_sample: {
    where: "t.replay_id IN (SELECT id FROM replay WHERE run_id = $1 AND ended_at IS NOT NULL)",
    key: "t.replay_id || '/' || lpad(t.index::text, 12, '0')",
  },
  alert: { where: "t.run_id = $1", key: "lpad(t.id::text, 12, '0')" },
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
    if (rows.length > 0) yield rows.map(({ line }) => `${outgoing(table, line)}\n`).join("");
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_PER_PART) return;
    after = last.at;
  }
}

const OutgoingReplay = z.looseObject({ weights: ReplayWeights.transform(withoutUserinfo) });

/** What opens an engine stays behind, as keys do. */
function outgoing(table: Table, line: string): string {
  return table === "replay" ? JSON.stringify(OutgoingReplay.parse(JSON.parse(line))) : line;
}
