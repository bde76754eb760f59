import type { Pool } from "pg";
import { keyFault, stepFault, timeFault } from "#metrics/check-point.ts";
import type { MetricLine } from "#metrics/ingest.ts";
import type { IngestRecord } from "#metrics/ingest-record.ts";
import { parseMetricLine } from "#metrics/parse-metric-line.ts";
import { type FilePlace, tailFile } from "#metrics/tail-file.ts";
import { findEventFiles } from "#tensorboard/find-event-files.ts";
import { parseEvent } from "#tensorboard/parse-event.ts";
import { tailEvents } from "#tensorboard/tail-events.ts";

/** A row of `ingest_source` and how far it was read. */
export interface Source {
  id: number;
  runId: string;
  kind: "file" | "folder" | "events";
  path: string;
  place: FilePlace;
}

type FileRecord = Extract<IngestRecord, { kind: "file" }>;
export interface Followed {
  record: FileRecord;
  place: FilePlace;
  /** There is more to read at once. */
  more: boolean;
}

const FAULTS_KEPT = 5;

/** What was written to the file since it was last read; null when nothing was. */
export async function followSource(source: Source): Promise<Followed | null> {
  return source.kind === "events" ? followEvents(source) : followLines(source);
}

/** New event files of a folder become sources of their own. True when there are some. */
export async function discoverFiles(pool: Pool, { path, runId }: Source): Promise<boolean> {
  const files = await findEventFiles(path);
  const { rowCount } = await pool.query(
    `INSERT INTO ingest_source (run_id, kind, path) SELECT $1, 'events', path FROM unnest($2::text[]) WITH ORDINALITY AS t(path, i)
     ORDER BY i ON CONFLICT DO NOTHING`,
    [runId, files],
  );
  return (rowCount ?? 0) > 0;
}

async function followLines(source: Source): Promise<Followed | null> {
  const read = await tailFile(source.path, source.place);
  if (!read) return null;
  const wallMs = Math.round(Math.min(Date.now(), read.writtenMs));
  const lines: MetricLine[] = [];
  const faults = new Faults();
  for (const { offset, text } of read.lines) {
    const parsed = parseMetricLine(text);
    if (parsed.fault === null) lines.push({ step: parsed.step, wallMs, values: parsed.values });
    else faults.add(offset, parsed.fault);
  }
  return followed(source, read.place, lines, faults, read.more);
}

async function followEvents(source: Source): Promise<Followed | null> {
  const read = await tailEvents(source.path, source.place);
  if (!read) return null;
  const lines: MetricLine[] = [];
  const faults = new Faults();
  for (const { offset, data } of read.records) {
    const line = readEvent(data, (fault) => faults.add(offset, fault));
    if (line) lines.push(line);
  }
  if (read.brokenAt !== null)
    faults.add(read.brokenAt, "a record's checksum is wrong; it is read once it is mended");
  const found = followed(source, read.place, lines, faults, read.more);
  return { ...found, record: { ...found.record, hasClock: true } };
}

function readEvent(data: Buffer, note: (fault: string) => void): MetricLine | null {
  try {
    const { step, wallMs, values, restarts } = parseEvent(data);
    if (Object.keys(values).length === 0 && !restarts) return null;
    const keys = Object.keys(values).map((key) => keyFault(key));
    const fault = stepFault(step) ?? timeFault(wallMs) ?? keys.find((one) => one !== null) ?? null;
    if (fault === null) return { step, wallMs, values, ...(restarts && { restarts }) };
    note(fault);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    note(`not an event: ${error.message}`);
  }
  return null;
}

function followed(
  { id, runId }: Source,
  place: FilePlace,
  lines: MetricLine[],
  { list, count }: Faults,
  more: boolean,
): Followed {
  const { position, generation, tail } = place;
  const kept = { position, generation, tail };
  return {
    record: {
      ...{ kind: "file", sourceId: id, runId, place: kept, lines },
      ...{ faults: list, faultCount: count },
    },
    place,
    more,
  };
}

class Faults {
  readonly list: FileRecord["faults"] = [];
  count = 0;

  add(offset: number, reason: string): void {
    this.count++;
    if (this.list.length < FAULTS_KEPT) this.list.push({ offset, reason });
  }
}
