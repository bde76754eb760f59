import { setTimeout as sleep } from "node:timers/promises";
import { openJournal } from "@liverl/durable/journal";
import type { Pool } from "pg";
import { FileWatch } from "#metrics/file-watch.ts";
import { foldBatch } from "#metrics/fold-batch.ts";
import type { FoldOutcome } from "#metrics/fold-records.ts";
import type { Ingest, MetricLine } from "#metrics/ingest.ts";
import { IngestRecord, type NumberedRecord } from "#metrics/ingest-record.ts";
import { parseMetricLine } from "#metrics/parse-metric-line.ts";
import { readBacklog } from "#metrics/read-backlog.ts";
import { readSeries } from "#metrics/read-series.ts";
import { type FilePlace, tailFile } from "#metrics/tail-file.ts";

const RETRY_MS = 500;
/** Records of one fold: enough to be quick after an absence, few enough to keep the transaction short. */
const FOLD_RECORDS = 64;
/** Folded records that stay in the journal, for a database that was set back to a copy. */
const KEPT_RECORDS = 10_000;
/** Unfolded records beyond this are read from the journal again instead of being held in memory. */
const PENDING_RECORDS = 1_000;
const FAULTS_KEPT = 5;

export interface IngestOptions {
  pool: Pool;
  /** Folder of the journal. */
  directory: string;
  onFold: (outcome: FoldOutcome) => void;
  onTrouble: (what: string, error: unknown) => void;
}

interface Source {
  id: number;
  runId: string;
  path: string;
  place: FilePlace;
}

/**
 * Follows the metrics files of `ingest_source`. Each read goes to the journal first and is folded into PostgreSQL after:
 * what was read survives a crash and a database that is away, and is folded once.
 */
export async function openIngest(options: IngestOptions): Promise<Ingest> {
  const { pool, directory, onFold, onTrouble } = options;
  const journal = await openJournal({ directory });
  const base = await alignNumbers(pool, journal.lastSeq);
  let foldedSeq = base.foldedSeq;
  let pending: NumberedRecord[] = [];
  let replaying = journal.lastSeq + base.seqBase > foldedSeq;
  let sources = new Map<number, Source>();
  let stale = true;
  let closing = false;
  const watch = new FileWatch();

  const append = async (record: IngestRecord) => {
    const { seq } = await journal.append(record);
    if (!replaying && pending.length < PENDING_RECORDS)
      pending.push({ seq: seq + base.seqBase, record });
    else replaying = true;
  };

  const nextBatch = async (): Promise<NumberedRecord[]> => {
    if (!replaying) return pending.slice(0, FOLD_RECORDS);
    pending = [];
    const batch: NumberedRecord[] = [];
    for await (const { seq, record } of journal.replay(foldedSeq - base.seqBase + 1)) {
      batch.push({ seq: seq + base.seqBase, record: IngestRecord.parse(record) });
      if (batch.length === FOLD_RECORDS) return batch;
    }
    // Caught up: all that is durable is in this batch, and nothing was appended since the replay ended.
    replaying = (batch.at(-1)?.seq ?? foldedSeq) < journal.lastSeq + base.seqBase;
    return batch;
  };

  /** Folds all that waits. */
  const fold = async () => {
    for (let batch = await nextBatch(); batch.length > 0 && !closing; batch = await nextBatch()) {
      for await (const outcome of foldBatch(pool, batch)) {
        foldedSeq = outcome.foldedSeq;
        pending = pending.filter(({ seq }) => seq > foldedSeq);
        onFold(outcome);
      }
      await journal.truncateBefore(foldedSeq - base.seqBase - KEPT_RECORDS);
    }
  };

  const follow = async (source: Source): Promise<boolean> => {
    const read = await tailFile(source.path, source.place);
    if (!read) return false;
    const wallMs = Math.round(Math.min(Date.now(), read.writtenMs));
    const lines: MetricLine[] = [];
    const faults: { offset: number; reason: string }[] = [];
    let faultCount = 0;
    for (const { offset, text } of read.lines) {
      const parsed = parseMetricLine(text);
      if (parsed.fault === null) lines.push({ step: parsed.step, wallMs, values: parsed.values });
      else if (++faultCount <= FAULTS_KEPT) faults.push({ offset, reason: parsed.fault });
    }
    await append({
      kind: "file",
      sourceId: source.id,
      runId: source.runId,
      place: read.place,
      lines,
      faults,
      faultCount,
    });
    source.place = read.place;
    return read.more;
  };

  const refreshSources = async () => {
    // Places in the table are behind until all is folded, and a file must not be read from an old place twice.
    const { rows } = await pool.query<{
      id: number;
      run_id: string;
      path: string;
      position: string;
      generation: number;
      tail: string;
    }>("SELECT id, run_id, path, position, generation, tail FROM ingest_source WHERE active");
    stale = false;
    sources = new Map(
      rows.map((row) => [
        row.id,
        sources.get(row.id) ?? {
          id: row.id,
          runId: row.run_id,
          path: row.path,
          place: { position: Number(row.position), generation: row.generation, tail: row.tail },
        },
      ]),
    );
  };

  const loop = async () => {
    while (!closing) {
      try {
        // First what the journal holds: only then are the places in the table those that were reached.
        if (stale) {
          await fold();
          await refreshSources();
        }
        let more = false;
        watch.follow([...sources.values()].map(({ path }) => path));
        for (const source of sources.values()) {
          more =
            (await follow(source).catch((error: unknown) =>
              onTrouble(`reading ${source.path}`, error),
            )) === true || more;
        }
        await fold();
        if (!more) await watch.wait();
      } catch (error) {
        if (closing) return;
        replaying = true;
        onTrouble("folding metrics", error);
        await sleep(RETRY_MS);
      }
    }
  };
  const finished = loop();

  return {
    readSeries: (input) => readSeries(pool, input),
    readBacklog: (runId, after) => readBacklog(pool, runId, after),
    refresh: () => {
      stale = true;
      watch.nudge();
    },
    append: async (runId, lines) => {
      await append({ kind: "own", runId, lines });
      watch.nudge();
    },
    close: async () => {
      closing = true;
      watch.close();
      await finished;
      await journal.close();
    },
  };
}

/**
 * Cursors that clients hold are journal numbers plus a base. A journal that was lost starts at 1 again: the base then
 * grows so that new records still come after everything that was folded.
 */
async function alignNumbers(
  pool: Pool,
  lastSeq: number,
): Promise<{ foldedSeq: number; seqBase: number }> {
  const { rows } = await pool.query<{ folded_seq: string; seq_base: string }>(
    "SELECT folded_seq, seq_base FROM ingest_state WHERE id = 1",
  );
  const foldedSeq = Number(rows[0]?.folded_seq ?? 0);
  const seqBase = Number(rows[0]?.seq_base ?? 0);
  if (lastSeq + seqBase >= foldedSeq) return { foldedSeq, seqBase };
  const grown = foldedSeq - lastSeq;
  await pool.query("UPDATE ingest_state SET seq_base = $1 WHERE id = 1", [grown]);
  return { foldedSeq, seqBase: grown };
}
