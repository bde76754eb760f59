import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PoolClient } from "pg";
import { type ArchiveHead, refuse, TABLES, type Table } from "#archives/archive-format.ts";
import { fitRow, type Import, Misfit, type Row } from "#archives/rows/fit-row.ts";

/** Puts the rows of an unpacked archive in. Ids stay, but for those that only this database gives. */
export async function importRows(
  client: PoolClient,
  { head, folder, dataDir }: { head: ArchiveHead; folder: string; dataDir: string },
): Promise<void> {
  const its: Import = { head, dataDir, series: new Map(), replays: new Map() };
  for (const table of TABLES) {
    const parts = await readdir(join(folder, "rows", table)).catch(() => []);
    if (table === "run" && parts.length !== 1) throw refuse("it has no row of a run");
    let before = 0;
    for (const part of parts.sort()) {
      const text = await readFile(join(folder, "rows", table, part), "utf8");
      const rows = parseRows(text, `rows/${table}/${part}`);
      if (table === "run" && rows.length !== 1) throw refuse("it has more than one run");
      await put(client, its, { table, rows, before });
      before += rows.length;
    }
  }
  await refuseMiscounted(client, its);
}

function parseRows(text: string, name: string): Row[] {
  return text.split("\n").flatMap((line): Row[] => {
    if (line === "") return [];
    try {
      const row: unknown = JSON.parse(line);
      if (typeof row === "object" && row !== null && !Array.isArray(row)) return [{ ...row }];
    } catch {
      // Told below.
    }
    throw refuse(`${name} has a line that is no row`);
  });
}

interface Part {
  table: Table;
  rows: readonly Row[];
  /** Rows of the table in the parts before this one. */
  before: number;
}

async function put(client: PoolClient, its: Import, part: Part): Promise<void> {
  const { table, rows } = part;
  if (rows.length === 0) return;
  const fitted = rows.map((row, i) => fit(its, part, row, i));
  await refuseStrangers(client, its, part, fitted);
  const columns = [...new Set(fitted.flatMap((row) => Object.keys(row)))];
  const names = columns.map((name) => `"${name}"`).join(", ");
  const returning = table === "series" ? "RETURNING id, key" : "";
  const { rows: made } = await client.query<{ id: number; key: string }>(
    `INSERT INTO "${table}" (${names})
     SELECT ${names} FROM json_populate_recordset(NULL::"${table}", $1::json) ${returning}`,
    [JSON.stringify(fitted)],
  );
  if (table !== "series") return;
  const here = new Map(made.map(({ id, key }) => [key, id]));
  for (const { id, key } of rows) its.series.set(Number(id), here.get(String(key)) ?? 0);
}

function fit(its: Import, part: Part, row: Row, i: number): Row {
  try {
    return fitRow(its, part.table, row);
  } catch (error) {
    if (error instanceof Misfit) throw refuseRow(part, i, error.message);
    // How deep a value may be nested is bounded by the stack.
    if (error instanceof RangeError) throw refuseRow(part, i, "it is nested too deep");
    throw error;
  }
}

const refuseRow = ({ table, before }: Part, i: number, why: string) =>
  refuse(`row ${before + i + 1} of ${table} does not fit: ${why}`);

/** Throws for rows that name what is not the run's: only the database knows. */
async function refuseStrangers(
  client: PoolClient,
  its: Import,
  part: Part,
  fitted: readonly Row[],
): Promise<void> {
  const { runId } = its.head;
  const ids = fitted.map(({ rollout_id }) => rollout_id);
  if (part.table === "rollout") {
    // Trainers of verl name rollouts by ids of their own: those must not read as another run's.
    const { rows } = await client.query<{ id: string; other: string }>(
      `SELECT t.id, run.id AS other FROM unnest($1::text[]) AS t(id)
       JOIN run ON starts_with(t.id, run.id || '.') AND run.id <> $2
       WHERE NOT starts_with(t.id, $2 || '.') LIMIT 1`,
      [ids, runId],
    );
    const [found] = rows;
    if (found)
      throw refuseRow(part, ids.indexOf(found.id), `${found.id} is a rollout of ${found.other}`);
  }
  if (part.table === "replay") {
    const { rows } = await client.query<{ id: string }>(
      "SELECT rollout_id AS id FROM rollout WHERE run_id = $1 AND rollout_id = ANY($2::text[])",
      [runId, ids],
    );
    const known = new Set<unknown>(rows.map(({ id }) => id));
    const at = ids.findIndex((id) => !known.has(id));
    if (at >= 0) throw refuseRow(part, at, `${String(ids[at])} is no rollout of the run`);
  }
}

/** Lists and verdicts take a series at its word: it must be what its points say. */
async function refuseMiscounted(client: PoolClient, { head }: Import): Promise<void> {
  const { rows } = await client.query<{ key: string }>(
    `SELECT s.key FROM series s LEFT JOIN chunk c ON c.series_id = s.id WHERE s.run_id = $1
     GROUP BY s.id HAVING s.points <> COALESCE(sum(cardinality(c.steps)), 0)
       OR (s.points > 0 AND s.last_step <> max(c.steps[cardinality(c.steps)])) LIMIT 1`,
    [head.runId],
  );
  const [found] = rows;
  if (found) throw refuse(`series ${found.key} has other points than its row says`);
}
