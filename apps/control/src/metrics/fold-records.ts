import type { Pool, PoolClient } from "pg";
import { inTransaction } from "#database/in-transaction.ts";
import type { PointColumns } from "#live/live.ts";
import { ROLLUP_FROM_STEP } from "#metrics/buckets.ts";
import {
  emptyPoints,
  mergePoints,
  type Point,
  type Points,
  pushPoint,
  slotOf,
} from "#metrics/chunk-points.ts";
import { loadChunks, saveChunks } from "#metrics/chunk-rows.ts";
import type { NumberedRecord } from "#metrics/ingest-record.ts";
import { encodeValue } from "#metrics/metric-flag.ts";
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
    const points = gather(fresh);
    if (points.size > 0) await foldPoints(client, points);
    await savePlaces(client, fresh);
    const eventIds = await reportFaults(client, fresh);
    await client.query("UPDATE ingest_state SET folded_seq = $1 WHERE id = 1", [foldedSeq]);
    return { foldedSeq, points: columnsOf(points), eventIds };
  });
}

type Gathered = Map<string, Map<string, Map<number, Point>>>;

/** Run → key → step → point; the last write of a step wins. */
function gather(records: readonly NumberedRecord[]): Gathered {
  const runs: Gathered = new Map();
  for (const { seq, record } of records) {
    for (const line of record.lines) {
      const keys = getOrAdd(runs, record.runId, () => new Map());
      for (const [key, raw] of Object.entries(line.values)) {
        const steps = getOrAdd(keys, key, () => new Map());
        steps.set(line.step, { step: line.step, ...encodeValue(raw), wallMs: line.wallMs, seq });
      }
    }
  }
  return runs;
}

async function foldPoints(client: PoolClient, gathered: Gathered): Promise<void> {
  const wanted = [...gathered].flatMap(([runId, keys]) =>
    [...keys].map(([key, steps]) => ({ runId, key, steps })),
  );
  const series = await ensureSeries(client, wanted);
  const bySlot = new Map<string, { seriesId: number; slot: number; fresh: Point[] }>();
  for (const { runId, key, steps } of wanted) {
    const row = series.get(`${runId}\n${key}`);
    if (!row) throw new Error(`series ${runId} ${key} was not made`);
    for (const point of steps.values()) {
      const slot = slotOf(point.step);
      const id = `${row.id}:${slot}`;
      const entry = getOrAdd(bySlot, id, () => ({ seriesId: row.id, slot, fresh: [] }));
      entry.fresh.push(point);
    }
  }
  const touched = [...bySlot].map(([id, entry]) => ({ id, ...entry }));
  const stored = await loadChunks(client, touched);
  const addedOf = new Map<number, number>();
  const merged = touched.map(({ id, seriesId, slot, fresh }) => {
    const { points, added } = mergePoints(stored.get(id) ?? emptyPoints(), fresh);
    addedOf.set(seriesId, (addedOf.get(seriesId) ?? 0) + added);
    return { key: { seriesId, slot }, points };
  });
  await saveChunks(client, merged);
  await saveSeries(client, wanted, series, addedOf);
  await rollUpLongSeries(client, series, wanted, merged);
}

async function ensureSeries(
  client: PoolClient,
  wanted: readonly { runId: string; key: string; steps: Map<number, Point> }[],
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
    const lowest = wanted.map(({ steps }) =>
      [...steps.keys()].reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    );
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
  wanted: readonly { runId: string; key: string; steps: Map<number, Point> }[],
  series: ReadonlyMap<string, SeriesRow>,
  addedOf: ReadonlyMap<number, number>,
): Promise<void> {
  const changes = wanted.flatMap(({ runId, key, steps }) => {
    const row = series.get(`${runId}\n${key}`);
    const newest = [...steps.values()].reduce((a, b) => (b.step > a.step ? b : a));
    // An old step written again is no news of the series' end.
    const ahead = row && (row.points === 0 || newest.step >= row.lastStep);
    return row
      ? [{ id: row.id, added: addedOf.get(row.id) ?? 0, newest: ahead ? newest : null }]
      : [];
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
      changes.map((change) => change.newest !== null),
      changes.map((change) => change.newest?.step ?? 0),
      changes.map((change) => change.newest?.value ?? null),
      changes.map((change) => change.newest?.wallMs ?? 0),
    ],
  );
}

async function rollUpLongSeries(
  client: PoolClient,
  series: ReadonlyMap<string, SeriesRow>,
  wanted: readonly { runId: string; key: string; steps: Map<number, Point> }[],
  merged: readonly { key: { seriesId: number; slot: number }; points: Points }[],
): Promise<void> {
  const long = new Map<number, boolean>();
  for (const { runId, key, steps } of wanted) {
    const row = series.get(`${runId}\n${key}`);
    if (!row) continue;
    const reach = [...steps.keys()].reduce((a, b) => Math.max(a, b), row.lastStep);
    if (row.rolled || reach >= ROLLUP_FROM_STEP) long.set(row.id, row.rolled);
  }
  if (long.size === 0) return;
  await rollUp(
    client,
    merged.filter(({ key }) => long.has(key.seriesId)),
    [...long].filter(([, rolled]) => !rolled).map(([id]) => id),
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
    if (record.kind !== "file" || record.faultCount === 0) continue;
    const [first] = record.faults;
    const { rows } = await client.query<{ id: number }>(
      `INSERT INTO run_event (run_id, source_key, kind, actor, message)
       SELECT $1, $2, 'alert', 'ingest', $3 WHERE EXISTS (SELECT 1 FROM run WHERE id = $1) ON CONFLICT DO NOTHING RETURNING id`,
      [
        record.runId,
        `fault:${seq}`,
        `${record.faultCount} ${record.faultCount === 1 ? "line" : "lines"} of the metrics file could not be read; the first at byte ${first?.offset ?? 0}: ${first?.reason ?? "unknown"}`,
      ],
    );
    ids.push(...rows.map((row) => row.id));
  }
  return ids;
}

function columnsOf(gathered: Gathered): FoldOutcome["points"] {
  return new Map(
    [...gathered].map(([runId, keys]) => [
      runId,
      new Map(
        [...keys].map(([key, steps]) => {
          const columns = emptyPoints();
          for (const point of [...steps.values()].sort((a, b) => a.step - b.step))
            pushPoint(columns, point);
          return [key, columns];
        }),
      ),
    ]),
  );
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}
