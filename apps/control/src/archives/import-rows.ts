import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PoolClient } from "pg";
import {
  type ArchiveHead,
  refuse,
  safeParts,
  TABLES,
  type Table,
} from "#archives/archive-format.ts";
import { ImportedRollout } from "#archives/imported-rollout.ts";
import { firstIssue, ImportedRun } from "#archives/imported-run.ts";
import { runFiles } from "#drivers/embedded/run-files.ts";

type Row = Record<string, unknown>;

interface Import {
  client: PoolClient;
  head: ArchiveHead;
  dataDir: string;
  /** Ids of series there → here. */
  series: Map<number, number>;
}

/** Puts the rows of an unpacked archive in. Ids stay, but for those that only this database gives. */
export async function importRows(
  client: PoolClient,
  { head, folder, dataDir }: { head: ArchiveHead; folder: string; dataDir: string },
): Promise<void> {
  const its: Import = { client, head, dataDir, series: new Map() };
  for (const table of TABLES) {
    const parts = await readdir(join(folder, "rows", table)).catch(() => []);
    if (table === "run" && parts.length !== 1) throw refuse("it has no row of a run");
    for (const part of parts.sort()) {
      const text = await readFile(join(folder, "rows", table, part), "utf8");
      await put(its, table, parseRows(text, `rows/${table}/${part}`));
    }
  }
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

async function put(its: Import, table: Table, rows: Row[]): Promise<void> {
  if (rows.length === 0) return;
  const fitted = rows.map((row) => fit(its, table, row));
  const columns = await columnsOf(its.client, table, fitted);
  const names = columns.map((name) => `"${name}"`).join(", ");
  const returning = table === "series" ? "RETURNING id, key" : "";
  const { rows: made } = await its.client.query<{ id: number; key: string }>(
    `INSERT INTO "${table}" (${names})
     SELECT ${names} FROM json_populate_recordset(NULL::"${table}", $1::json) ${returning}`,
    [JSON.stringify(fitted)],
  );
  if (table !== "series") return;
  const here = new Map(made.map(({ id, key }) => [key, id]));
  for (const { id, key } of rows) its.series.set(Number(id), here.get(String(key)) ?? 0);
}

/** Those of the table that the rows have: what came later keeps its default. */
async function columnsOf(
  client: PoolClient,
  table: Table,
  rows: readonly Row[],
): Promise<string[]> {
  const { rows: known } = await client.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1`,
    [table],
  );
  const there = new Set(rows.flatMap((row) => Object.keys(row)));
  return known.map(({ name }) => name).filter((name) => there.has(name));
}

/** A row as it may stand here. Throws where it is not of the run. */
function fit(its: Import, table: Table, row: Row): Row {
  const { runId } = its.head;
  const { id, ...rest } = row;
  switch (table) {
    case "run":
      return fitRun(its, row);
    case "chunk":
      return { ...row, series_id: seriesOf(its, row), seqs: zeros(row.steps), max_seq: 0 };
    case "rollup":
      return { ...row, series_id: seriesOf(its, row) };
    default:
      if (row.run_id !== runId) throw refuse(`a row of ${table} is of another run`);
  }
  if (table === "run_event" || table === "series") return rest;
  if (table === "checkpoint") return { ...row, path: checkpointPath(its, row) };
  return table === "rollout" ? fitRollout(its, row) : row;
}

function fitRun({ head }: Import, row: Row): Row {
  if (row.id !== head.runId || row.project !== head.project)
    throw refuse("its row is of another run");
  const read = ImportedRun.safeParse(row);
  if (!read.success) throw refuse(`the row of its run does not fit: ${firstIssue(read.error)}`);
  // Nothing of it goes on here.
  const imported_at = new Date().toISOString();
  return { ...read.data, imported_at, released: true, resume_from: null, stop_mode: null };
}

function fitRollout({ head }: Import, row: Row): Row {
  const { directory } = row;
  const own = `harbor_trials/${head.project}/${head.runId}/`;
  if (directory != null) {
    if (typeof directory !== "string" || !directory.startsWith(own))
      throw refuse("a rollout's folder is not among the run's trials");
    safeParts(`trials/${directory.slice(own.length)}`);
  }
  const read = ImportedRollout.safeParse(row);
  if (!read.success) throw refuse(`the row of a rollout does not fit: ${firstIssue(read.error)}`);
  // Archives of before the two steps were told apart have the one that asked.
  const { asked_step = read.data.step } = read.data;
  return { ...read.data, asked_step, cursor: 0 };
}

function seriesOf({ series }: Import, { series_id }: Row): number {
  const id = series.get(Number(series_id));
  if (id === undefined) throw refuse("points are of a series that it does not have");
  return id;
}

/** Where live streams stand is this database's own: what comes in by an archive is older than all of it. */
const zeros = (steps: unknown) => (Array.isArray(steps) ? steps.map(() => 0) : []);

function checkpointPath({ dataDir, head }: Import, { step }: Row): string {
  if (!Number.isSafeInteger(step)) throw refuse("a checkpoint has no step");
  return join(runFiles(dataDir, head.runId).checkpoints, `global_step_${step}`);
}
