import type { Pool, PoolClient } from "pg";
import { inTransaction } from "#database/in-transaction.ts";
import type { PointColumns } from "#live/live.ts";
import { ROLLUP_FROM_STEP } from "#metrics/buckets.ts";
import {
  emptyPoints,
  mergePoints,
  type Points,
  sortPoints,
  splitBySlot,
} from "#metrics/chunk-points.ts";
import { loadChunks, saveChunks } from "#metrics/chunk-rows.ts";
import type { Arrival } from "#metrics/follow-line.ts";
import type { MetricValue } from "#metrics/ingest.ts";
import type { IngestRecord, NumberedRecord } from "#metrics/ingest-record.ts";
import { encodeValue } from "#metrics/metric-flag.ts";
import { pointsOf, resumeLines } from "#metrics/resume-lines.ts";
import { rollUp } from "#metrics/roll-up.ts";

export interface FoldOutcome {
  foldedSeq: number;
  /** Run → key → points that are new or changed. */
  points: Map<string, Map<string, PointColumns>>;
  /** Rows of run_event that the fold wrote. */
  eventIds: number[];
}

interface SeriesRow {
  id: number;
  runId: string;
  key: string;
  points: number;
  lastStep: number;
  rolled: boolean;
}

/**
 * Folds journal records into chunks in one transaction, with the places of their files and the journal number.
 * Records that were folded before are left out, so folding again after a crash changes nothing.
 */
export function foldRecords(pool: Pool, records: readonly NumberedRecord[]): Promise<FoldOutcome> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ folded_seq: string }>(
      "SELECT folded_seq FROM ingest_state WHERE id = 1 FOR UPDATE",
    );
    const done = Number(rows[0]?.folded_seq ?? 0);
    const fresh = records.filter(({ seq }) => seq > done);
    const foldedSeq = fresh.at(-1)?.seq ?? done;
    const { points, eventIds: resumed } = await gather(
      client,
      await withoutRepeated(client, fresh),
    );
    if (points.size > 0) await foldPoints(client, points);
    await savePlaces(client, fresh);
    const eventIds = [...resumed, ...(await reportFaults(client, fresh))];
    await client.query("UPDATE ingest_state SET folded_seq = $1 WHERE id = 1", [foldedSeq]);
    return { foldedSeq, points, eventIds };
  });
}

/** Run → key → points by step, one a step: the last write of a step wins. */
type Gathered = Map<string, Map<string, Points>>;

async function gather(
  client: PoolClient,
  records: readonly NumberedRecord[],
): Promise<{ points: Gathered; eventIds: number[] }> {
  const runs = arrivalsOf(records);
  const attached = await attachedOf(client, [...runs.keys()]);
  const points: Gathered = new Map();
  const eventIds: number[] = [];
  for (const [runId, arrivals] of runs) {
    // Of runs that LiveRL starts their driver knows where an attempt went on.
    const found = attached.has(runId)
      ? await resumeLines(client, runId, arrivals)
      : { kept: pointsOf(arrivals), eventIds: [] };
    eventIds.push(...found.eventIds);
    const keys = new Map([...found.kept].map(([key, kept]) => [key, sortPoints(kept)]));
    if (keys.size > 0) points.set(runId, keys);
  }
  return { points, eventIds };
}

/** Run → key → what came for it, in that order. */
function arrivalsOf(records: readonly NumberedRecord[]): Map<string, Map<string, Arrival[]>> {
  const runs = new Map<string, Map<string, Arrival[]>>();
  const restartsOf = new Map<string, Arrival[]>();
  let order = 0;
  for (const { seq, record } of records) {
    const keys = getOrAdd(runs, record.runId, () => new Map<string, Arrival[]>());
    const restarts = getOrAdd(restartsOf, record.runId, () => []);
    const hasClock = record.kind === "file" && record.hasClock === true;
    const add = (key: string, step: number, wallMs: number, raw: MetricValue, at: number) => {
      const point = { step, ...encodeValue(raw), wallMs, seq };
      getOrAdd(keys, key, () => [...restarts]).push({ point, order: at, hasClock });
    };
    // All series of the run hear of it: also those that nothing came for, or nothing yet.
    const restart = (step: number, wallMs: number) => {
      const one = { restart: step, wallMs, order, seq };
      restarts.push(one);
      getOrAdd(keys, "", () => []);
      for (const list of keys.values()) list.push(one);
    };
    if (record.kind === "sent") {
      if (record.restart !== undefined) restart(record.restart, Date.now());
      for (const { key, step, wallMs, value } of record.series)
        for (const [i, raw] of value.entries())
          add(key, step[i] ?? 0, wallMs[i] ?? 0, raw, order + i);
      order += record.series.reduce((most, { step }) => Math.max(most, step.length), 0);
      continue;
    }
    for (const line of record.lines) {
      if (line.restarts) restart(line.step, line.wallMs);
      for (const [key, raw] of Object.entries(line.values))
        add(key, line.step, line.wallMs, raw, order);
      order++;
    }
  }
  for (const [runId, keys] of runs) if (keys.size === 0) runs.delete(runId);
  return runs;
}

async function attachedOf(client: PoolClient, runIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await client.query<{ id: string }>(
    "SELECT id FROM run WHERE id = ANY($1::text[]) AND driver = 'attached'",
    [runIds],
  );
  return new Set(rows.map(({ id }) => id));
}

interface Wanted {
  runId: string;
  key: string;
  points: Points;
}

async function foldPoints(client: PoolClient, gathered: Gathered): Promise<void> {
  const wanted = [...gathered].flatMap(([runId, keys]) =>
    [...keys].map(([key, points]) => ({ runId, key, points })),
  );
  const series = await ensureSeries(client, wanted);
  const touched = wanted.flatMap(({ runId, key, points }) => {
    const row = series.get(`${runId}\n${key}`);
    if (!row) throw new Error(`series ${runId} ${key} was not made`);
    return splitBySlot(points).map((part) => ({ seriesId: row.id, ...part }));
  });
  const stored = await loadChunks(client, touched);
  const addedOf = new Map<number, number>();
  const merged = touched.map(({ seriesId, slot, points: fresh }) => {
    const { points, added } = mergePoints(
      stored.get(`${seriesId}:${slot}`) ?? emptyPoints(),
      fresh,
    );
    addedOf.set(seriesId, (addedOf.get(seriesId) ?? 0) + added);
    return { key: { seriesId, slot }, points };
  });
  await saveChunks(client, merged);
  await saveSeries(client, wanted, series, addedOf);
  await rollUpLongSeries(client, series, wanted, merged);
}

async function ensureSeries(
  client: PoolClient,
  wanted: readonly Wanted[],
): Promise<Map<string, SeriesRow>> {
  const runIds = wanted.map((entry) => entry.runId);
  const keys = wanted.map((entry) => entry.key);
  const read = () =>
    client.query<SeriesRow>(
      `SELECT s.id, s.run_id AS "runId", s.key, s.points, s.last_step AS "lastStep", s.rolled
       FROM series s JOIN unnest($1::text[], $2::text[]) AS k(run_id, key) ON s.run_id = k.run_id AND s.key = k.key`,
      [runIds, keys],
    );
  let { rows } = await read();
  if (rows.length < wanted.length) {
    const lowest = wanted.map(({ points }) => points.step[0] ?? 0);
    await client.query(
      `INSERT INTO series (run_id, key, last_step, last_wall) SELECT run_id, key, step, 0 FROM unnest($1::text[], $2::text[], $3::int[]) AS t(run_id, key, step)
       ON CONFLICT (run_id, key) DO NOTHING`,
      [runIds, keys, lowest],
    );
    ({ rows } = await read());
  }
  return new Map(rows.map((row) => [`${row.runId}\n${row.key}`, row]));
}

async function saveSeries(
  client: PoolClient,
  wanted: readonly Wanted[],
  series: ReadonlyMap<string, SeriesRow>,
  addedOf: ReadonlyMap<number, number>,
): Promise<void> {
  const changes = wanted.flatMap(({ runId, key, points }) => {
    const row = series.get(`${runId}\n${key}`);
    if (!row) return [];
    const step = points.step.at(-1) ?? 0;
    // An old step written again is no news of the series' end.
    const ahead = row.points === 0 || step >= row.lastStep;
    const { id } = row;
    const added = addedOf.get(id) ?? 0;
    return [
      {
        id,
        added,
        ahead,
        step,
        value: points.value.at(-1) ?? null,
        wallMs: points.wallMs.at(-1) ?? 0,
      },
    ];
  });
  await client.query(
    `UPDATE series s SET points = s.points + t.added,
       last_step = CASE WHEN t.ahead THEN t.step ELSE s.last_step END,
       last = CASE WHEN t.ahead THEN t.value ELSE s.last END,
       last_wall = GREATEST(s.last_wall, t.wall)
     FROM unnest($1::int[], $2::int[], $3::bool[], $4::int[], $5::float8[], $6::float8[]) AS t(id, added, ahead, step, value, wall)
     WHERE s.id = t.id`,
    [
      changes.map((change) => change.id),
      changes.map((change) => change.added),
      changes.map((change) => change.ahead),
      changes.map((change) => change.step),
      changes.map((change) => change.value),
      changes.map((change) => change.wallMs),
    ],
  );
}

async function rollUpLongSeries(
  client: PoolClient,
  series: ReadonlyMap<string, SeriesRow>,
  wanted: readonly Wanted[],
  merged: readonly { key: { seriesId: number; slot: number }; points: Points }[],
): Promise<void> {
  const long = new Map<number, boolean>();
  for (const { runId, key, points } of wanted) {
    const row = series.get(`${runId}\n${key}`);
    if (!row) continue;
    const reach = Math.max(row.lastStep, points.step.at(-1) ?? row.lastStep);
    if (row.rolled || reach >= ROLLUP_FROM_STEP) long.set(row.id, row.rolled);
  }
  if (long.size === 0) return;
  await rollUp(
    client,
    merged.filter(({ key }) => long.has(key.seriesId)),
    [...long].filter(([, rolled]) => !rolled).map(([id]) => id),
  );
}

/** Leaves out requests whose name was folded before: what came since would be overwritten by a late repeat of it. */
async function withoutRepeated(
  client: PoolClient,
  records: readonly NumberedRecord[],
): Promise<NumberedRecord[]> {
  const named = records.flatMap(({ record }) =>
    record.kind === "sent" && record.batch !== null ? [[record.runId, record.batch] as const] : [],
  );
  if (named.length === 0) return [...records];
  const { rows } = await client.query<{ run_id: string; batch: string }>(
    `INSERT INTO ingest_batch (run_id, batch) SELECT * FROM unnest($1::text[], $2::text[])
     ON CONFLICT DO NOTHING RETURNING run_id, batch`,
    [named.map(([runId]) => runId), named.map(([, batch]) => batch)],
  );
  await client.query("DELETE FROM ingest_batch WHERE at < now() - interval '7 days'");
  const isNew = new Set(rows.map(({ run_id, batch }) => `${run_id}\n${batch}`));
  // The first of a name takes it out of the set.
  return records.filter(
    ({ record }) =>
      record.kind !== "sent" ||
      record.batch === null ||
      isNew.delete(`${record.runId}\n${record.batch}`),
  );
}

async function savePlaces(client: PoolClient, records: readonly NumberedRecord[]): Promise<void> {
  const places = new Map(
    records.flatMap(({ record }) =>
      record.kind === "file" ? [[record.sourceId, record.place] as const] : [],
    ),
  );
  if (places.size === 0) return;
  const list = [...places];
  await client.query(
    `UPDATE ingest_source s SET position = t.position, generation = t.generation, tail = t.tail
     FROM unnest($1::int[], $2::int8[], $3::int[], $4::text[]) AS t(id, position, generation, tail) WHERE s.id = t.id`,
    [
      list.map(([id]) => id),
      list.map(([, place]) => place.position),
      list.map(([, place]) => place.generation),
      list.map(([, place]) => place.tail),
    ],
  );
}

/** Lines that could not be read become one event a record: seen by the people who watch the run. */
async function reportFaults(
  client: PoolClient,
  records: readonly NumberedRecord[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const { seq, record } of records) {
    const message = faultIn(record);
    if (message === null) continue;
    const { rows } = await client.query<{ id: number }>(
      `INSERT INTO run_event (run_id, source_key, kind, actor, message)
       SELECT $1, $2, 'alert', 'ingest', $3 WHERE EXISTS (SELECT 1 FROM run WHERE id = $1) ON CONFLICT DO NOTHING RETURNING id`,
      [record.runId, `fault:${seq}`, message],
    );
    ids.push(...rows.map((row) => row.id));
  }
  return ids;
}

function faultIn(record: IngestRecord): string | null {
  if (record.kind === "sent" && record.lost !== undefined)
    return `Points that were sent could not be stored: ${record.lost}`;
  if (record.kind !== "file" || record.faultCount === 0) return null;
  const [first] = record.faults;
  return `${record.faultCount} ${record.faultCount === 1 ? "line" : "lines"} of the metrics file could not be read; the first at byte ${first?.offset ?? 0}: ${first?.reason ?? "unknown"}`;
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}
