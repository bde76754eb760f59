import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readJson, writeFileAtomic } from "@liverl/durable/atomic-file";
import { buildJobResult, TrialRow } from "#harbor-files/job-result.ts";
import type { TrialRecord } from "#harbor-files/trial-record.ts";

/** The trials of a step end together: a job's files are written once none has ended for so long. */
const QUIET_MS = 1_000;
const CONFIG_FILE = "config.json";
/** Of a job and of each of its trials. */
export const RESULT_FILE = "result.json";

/** A folder of trials as a job of Harbor's: its `config.json` and `result.json` follow from the trials in it. */
export interface JobFiles {
  /** Takes a trial whose files are written. Answers at once; the job's files follow. */
  add(record: TrialOfJob, row: TrialRow): void;
  /** Resolves once the files of every job are written. Nothing may be added after. */
  close(): Promise<void>;
}

/** What a job's files tell of one of its trials, besides its row. */
export type TrialOfJob = Pick<TrialRecord, "root" | "jobKey" | "agent" | "model" | "environment">;

interface Log {
  warn(fault: object, text: string): void;
}

interface OpenJob {
  record: TrialOfJob;
  rows: Map<string, TrialRow>;
  timer: NodeJS.Timeout;
}

/** A job whose files can not be written is a warning: they follow from files that are there. */
export function openJobFiles(options: { log: Log; quietMs?: number }): JobFiles {
  const jobs = new Map<string, OpenJob>();
  const writing = new Set<Promise<void>>();

  const write = (folder: string, job: OpenJob) => {
    clearTimeout(job.timer);
    jobs.delete(folder);
    const done = writeJob(folder, job)
      .catch((error) => options.log.warn({ err: error, folder }, "a job's files were not written"))
      .finally(() => writing.delete(done));
    writing.add(done);
  };

  return {
    add: (record, row) => {
      const folder = dirname(record.root);
      const job = jobs.get(folder);
      if (job) clearTimeout(job.timer);
      const open: OpenJob = {
        record,
        rows: (job?.rows ?? new Map()).set(basename(record.root), TrialRow.parse(row)),
        timer: setTimeout(() => write(folder, open), options.quietMs ?? QUIET_MS),
      };
      jobs.set(folder, open);
    },
    close: async () => {
      for (const [folder, job] of jobs) write(folder, job);
      await Promise.all(writing);
    },
  };
}

async function writeJob(folder: string, { record, rows }: OpenJob): Promise<void> {
  const known = new Map([...(await readRows(folder, rows)), ...rows]);
  const { agent, model, environment } = record;
  const config = {
    job_name: basename(folder),
    jobs_dir: dirname(folder),
    environment: "type" in environment ? environment : { import_path: environment.importPath },
    agents: [{ name: agent.name, model_name: model.name }],
  };
  await writeFileAtomic(join(folder, CONFIG_FILE), JSON.stringify(config));
  const result = buildJobResult(record.jobKey, [...known.values()]);
  await writeFileAtomic(join(folder, RESULT_FILE), JSON.stringify(result));
}

/** Trials of the folder that are not in memory: those of an earlier write, or life. */
async function readRows(
  folder: string,
  inMemory: ReadonlyMap<string, unknown>,
): Promise<Map<string, TrialRow>> {
  const rows = new Map<string, TrialRow>();
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || inMemory.has(entry.name)) continue;
    // Cut, or of an older version: the others still make a job.
    const row = await readJson(join(folder, entry.name, RESULT_FILE), TrialRow).catch(() => null);
    if (row) rows.set(entry.name, row);
  }
  return rows;
}
