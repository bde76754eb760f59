import type { Pool } from "pg";
import { isDatabaseAway } from "#database/is-database-away.ts";
import { type FoldOutcome, foldRecords } from "#metrics/fold-records.ts";
import type { NumberedRecord } from "#metrics/ingest-record.ts";

/** SQLSTATE classes that speak of the values: data exception, integrity, limits. A full disk or a deadlock does not. */
const ABOUT_VALUES = /^(22|23|54)/;

/**
 * Folds a batch. Where that fails because of what a record holds, each is folded alone, and the one that can not be is
 * told as a fault of its file: metrics of other runs do not wait for it.
 */
export async function* foldBatch(
  pool: Pool,
  records: readonly NumberedRecord[],
): AsyncGenerator<FoldOutcome, void, void> {
  let whole: FoldOutcome | null = null;
  try {
    whole = await foldRecords(pool, records);
  } catch (error) {
    if (!isOfRecord(error)) throw error;
  }
  if (whole) return yield whole;
  for (const record of records) yield await foldAlone(pool, record);
}

async function foldAlone(pool: Pool, numbered: NumberedRecord): Promise<FoldOutcome> {
  try {
    return await foldRecords(pool, [numbered]);
  } catch (error) {
    if (!isOfRecord(error)) throw error;
    return foldRecords(pool, [withoutLines(numbered, error)]);
  }
}

/** The place in the file stays, so that reading goes on behind the bad lines. */
function withoutLines({ seq, record }: NumberedRecord, error: unknown): NumberedRecord {
  if (record.kind === "own") return { seq, record: { ...record, lines: [] } };
  const why = error instanceof Error ? error.message : String(error);
  if (record.kind === "sent")
    return { seq, record: { ...record, batch: null, series: [], lost: why } };
  const fault = { offset: record.place.position, reason: `could not be stored: ${why}` };
  return {
    seq,
    record: {
      ...record,
      lines: [],
      faults: [...record.faults, fault],
      faultCount: record.faultCount + record.lines.length,
    },
  };
}

function isOfRecord(error: unknown): boolean {
  if (isDatabaseAway(error)) return false;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  // Without a code it is our own program that could not take the record.
  return typeof code !== "string" || ABOUT_VALUES.test(code);
}
