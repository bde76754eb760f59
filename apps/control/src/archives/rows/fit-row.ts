import { join } from "node:path";
import { findNotStorable, notStorable } from "@liverl/contract/storable";
import type { z } from "zod";
import { type ArchiveHead, safeParts, type Table } from "#archives/archive-format.ts";
import { AlertRow, BootPhaseRow, CheckpointRow, RunEventRow } from "#archives/rows/event-rows.ts";
import { ReplayRow, ReplaySampleRow } from "#archives/rows/replay-rows.ts";
import { RolloutRow, TakenRolloutRow } from "#archives/rows/rollout-row.ts";
import { RunRow } from "#archives/rows/run-row.ts";
import { ChunkRow, RollupRow, SeriesRow } from "#archives/rows/series-rows.ts";
import { runFiles } from "#drivers/embedded/run-files.ts";

export type Row = Record<string, unknown>;

/** What an import knows of itself by the rows that came before. */
export interface Import {
  head: ArchiveHead;
  dataDir: string;
  /** Ids of series there → here. */
  series: Map<number, number>;
  /** Completions of each replay, at most. */
  replays: Map<string, number>;
  /** Of the run, once its row was read. */
  driver?: string;
}

/** What is wrong with a row, in words. */
export class Misfit extends Error {}

/** Each table's rows, column by column: what it does not name stays behind. */
export const ROWS = {
  run: RunRow,
  run_event: RunEventRow,
  boot_phase: BootPhaseRow,
  checkpoint: CheckpointRow,
  rollout: RolloutRow,
  taken_rollout: TakenRolloutRow,
  series: SeriesRow,
  chunk: ChunkRow,
  rollup: RollupRow,
  replay: ReplayRow,
  replay_sample: ReplaySampleRow,
  alert: AlertRow,
} as const satisfies Record<Table, z.ZodType>;

const FITS: { [T in Table]: (its: Import, row: z.infer<(typeof ROWS)[T]>) => Row } = {
  run: fitRun,
  run_event: (its, row) => ofRun(its, row),
  boot_phase: (its, row) => ofRun(its, row),
  checkpoint: (its, row) => ({
    ...ofRun(its, row),
    path: join(runFiles(its.dataDir, its.head.runId).checkpoints, `global_step_${row.step}`),
  }),
  rollout: fitRollout,
  taken_rollout: (its, row) => ofRun(its, row),
  series: (its, { id, ...row }) => ofRun(its, row),
  // Where live streams stand is this database's own: what comes in by an archive is older than all of it.
  chunk: (its, row) => ({
    ...{ ...row, series_id: seriesOf(its, row), seqs: row.steps.map(() => 0), max_seq: 0 },
  }),
  rollup: (its, row) => ({ ...row, series_id: seriesOf(its, row) }),
  replay: (its, row) => {
    its.replays.set(row.id, row.n);
    return ofRun(its, { ...row, trains: false });
  },
  replay_sample: (its, row) => {
    const n = its.replays.get(row.replay_id);
    if (n === undefined) throw new Misfit("it is of a replay that the archive does not have");
    if (row.index >= n) throw new Misfit(`index: its replay has ${n} completions`);
    return row;
  },
  alert: fitAlert,
};

/** A row as it may stand here. Throws {@link Misfit} where it is not of the run, or not what its table's readers take. */
export function fitRow<T extends Table>(its: Import, table: T, row: Row): Row {
  const odd = table === "chunk" || table === "rollup" ? null : findNotStorable(row);
  if (odd !== null) throw new Misfit(`${odd.join(".")}: ${notStorable}`);
  const schema: z.ZodType = ROWS[table];
  const read = schema.safeParse(row);
  if (!read.success) throw new Misfit(firstIssue(read.error));
  return FITS[table](its, read.data as z.infer<(typeof ROWS)[T]>);
}

function firstIssue({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return "";
  const where = issue.path.join(".");
  return where === "" ? issue.message : `${where}: ${issue.message}`;
}

function ofRun<R extends { run_id: string }>({ head }: Import, row: R): R {
  if (row.run_id !== head.runId) throw new Misfit("it is of another run");
  return row;
}

function fitRun(its: Import, row: RunRow): Row {
  const { head } = its;
  if (row.id !== head.runId || row.project !== head.project)
    throw new Misfit("it is of another run than the archive");
  its.driver = row.driver;
  // Nothing of it goes on here.
  const imported_at = new Date().toISOString();
  return { ...row, imported_at, released: true, resume_from: null, stop_mode: null };
}

function fitRollout(its: Import, row: RolloutRow): Row {
  const { head, driver } = its;
  // Our own trainer names rollouts by their run; trainers of verl have ids of their own.
  if (driver === "embedded")
    for (const [column, id] of [
      ["rollout_id", row.rollout_id],
      ["group_id", row.group_id],
    ])
      if (!id?.startsWith(`${head.runId}.`))
        throw new Misfit(`${column}: ${id} is not of ${head.runId}`);
  const { directory } = row;
  const own = `harbor_trials/${head.project}/${head.runId}/`;
  if (directory != null) {
    if (!directory.startsWith(own)) throw new Misfit("directory: it is not among the run's trials");
    safeParts(`trials/${directory.slice(own.length)}`);
  }
  // Archives of before the two steps were told apart have the one that asked.
  const { asked_step = row.step } = row;
  return ofRun(its, { ...row, asked_step, cursor: 0 });
}

function fitAlert(its: Import, row: z.infer<typeof AlertRow>): Row {
  if (row.project !== its.head.project) throw new Misfit("it is of another project");
  // Nothing here judges it any more: its rule stayed behind.
  const isOpen = row.resolved_at == null;
  const end = isOpen
    ? { resolved_at: row.fired_at, resolved_why: "it was open when its run was archived" }
    : {};
  return ofRun(its, { ...row, ...end });
}

function seriesOf({ series }: Import, { series_id }: { series_id: number }): number {
  const id = series.get(series_id);
  if (id === undefined)
    throw new Misfit("its points are of a series that the archive does not have");
  return id;
}
