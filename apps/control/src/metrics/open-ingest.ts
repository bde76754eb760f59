import { setTimeout as sleep } from "node:timers/promises";
import { openJournal } from "@liverl/durable/journal";
import type { Pool } from "pg";
import { FileWatch } from "#metrics/file-watch.ts";
import { foldBatch } from "#metrics/fold-batch.ts";
import type { FoldOutcome } from "#metrics/fold-records.ts";
import { discoverFiles, followSource, type Source } from "#metrics/follow-source.ts";
import type { Ingest } from "#metrics/ingest.ts";
import { countPoints, type IngestRecord } from "#metrics/ingest-record.ts";
import { KeptRecords } from "#metrics/kept-records.ts";
import { readBacklog } from "#metrics/read-backlog.ts";
import { readPoints } from "#metrics/read-points.ts";
import { readSeries } from "#metrics/read-series.ts";
import { RecordQueue } from "#metrics/record-queue.ts";
import { Settling } from "#metrics/settling.ts";
import { Intake } from "#metrics/take-body.ts";

const RETRY_MS = 500;
/** Longest that somebody waits for what is durable to be visible. */
const SETTLE_MS = 10_000;

export interface IngestOptions {
  pool: Pool;
  /** Folder of the journal. */
  directory: string;
  onFold: (outcome: FoldOutcome) => void;
  onTrouble: (what: string, error: unknown) => void;
}

/**
 * Follows the metrics files of `ingest_source`. Each read goes to the journal first and is folded into PostgreSQL after:
 * what was read survives a crash and a database that is away, and is folded once.
 */
export async function openIngest(options: IngestOptions): Promise<Ingest> {
  const { pool, directory, onFold, onTrouble } = options;
  const journal = await openJournal({ directory });
  if (journal.tornBytes > 0)
    onTrouble(
      "opening the journal of metrics",
      new Error(
        `the last ${journal.tornBytes} bytes in ${directory} were cut off: a crash or a fault of the disk left the last batch unfinished`,
      ),
    );
  const base = await alignNumbers(pool, journal.lastSeq);
  let foldedSeq = base.foldedSeq;
  const queue = new RecordQueue(journal, base.seqBase, foldedSeq);
  const kept = new KeptRecords();
  const settling = new Settling(SETTLE_MS);
  let sources = new Map<number, Source>();
  let stale = true;
  let closing = false;
  const watch = new FileWatch();

  const append = async (record: IngestRecord) => {
    const { seq } = await journal.append(record);
    kept.add(seq, countPoints(record));
    queue.push({ seq: seq + base.seqBase, record });
  };

  /** Folds all that waits. */
  const fold = async () => {
    for (;;) {
      const batch = await queue.next(foldedSeq);
      if (batch.length === 0 || closing) return;
      for await (const outcome of foldBatch(pool, batch)) {
        foldedSeq = outcome.foldedSeq;
        queue.folded(foldedSeq);
        onFold(outcome);
        settling.settle(foldedSeq);
      }
      await journal.truncateBefore(kept.oldest(foldedSeq - base.seqBase));
    }
  };

  const follow = async (source: Source): Promise<boolean> => {
    if (source.kind === "folder") {
      if (await discoverFiles(pool, source)) stale = true;
      return stale;
    }
    const found = await followSource(source);
    if (!found) return false;
    await append(found.record);
    source.place = found.place;
    return found.more;
  };

  /** One look at every source. True when there is more to read at once. */
  const followAll = async (): Promise<boolean> => {
    let more = false;
    /** Runs one of whose event files has more: what a later file says of a step must come after. */
    const held = new Set<string>();
    for (const source of sources.values()) {
      if (source.kind === "events" && held.has(source.runId)) continue;
      const hasMore = await follow(source).catch((error: unknown) =>
        onTrouble(`reading ${source.path}`, error),
      );
      if (hasMore !== true) continue;
      more = true;
      held.add(source.runId);
    }
    return more;
  };

  const refreshSources = async () => {
    // Places in the table are behind until all is folded, and a file must not be read from an old place twice.
    const { rows } = await pool.query<{
      id: number;
      run_id: string;
      kind: Source["kind"];
      path: string;
      position: string;
      generation: number;
      tail: string;
    }>(
      "SELECT id, run_id, kind, path, position, generation, tail FROM ingest_source WHERE active ORDER BY id",
    );
    stale = false;
    sources = new Map(
      rows.map((row) => [
        row.id,
        sources.get(row.id) ?? {
          id: row.id,
          runId: row.run_id,
          kind: row.kind,
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
        watch.follow([...sources.values()].map(({ path }) => path));
        const more = await followAll();
        await fold();
        if (!more) await watch.wait();
      } catch (error) {
        if (closing) return;
        queue.restart();
        onTrouble("folding metrics", error);
        await sleep(RETRY_MS);
      }
    }
  };
  const finished = loop();
  const intake = new Intake(pool, async (record) => {
    await append(record);
    watch.nudge();
  });

  return {
    take: (sent, writer) => intake.take(sent, writer),
    settle: async () => {
      const upTo = journal.lastSeq + base.seqBase;
      if (upTo > foldedSeq) await settling.wait(upTo);
    },
    readPoints: (input) => readPoints(pool, input),
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
      settling.close();
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
