import type { PoolClient } from "pg";
import {
  type Buckets,
  bucketsOfPoints,
  emptyBuckets,
  ROLLUP_LEVELS,
  ROLLUP_ROW_BUCKETS,
  spliceBuckets,
  widenBuckets,
} from "#metrics/buckets.ts";
import { CHUNK_STEPS, type Points } from "#metrics/chunk-points.ts";
import {
  type ChunkKey,
  type ChunkRow,
  loadRollups,
  pointsOfRow,
  type RollupKey,
  saveRollups,
} from "#metrics/chunk-rows.ts";
import { queryArrays } from "#metrics/query-arrays.ts";

interface Chunk {
  key: ChunkKey;
  points: Points;
}

/**
 * Brings the roll-ups of the changed chunks up to date, in the fold's own transaction.
 * `newSeries` have none yet: all their chunks are rolled up.
 */
export async function rollUp(
  client: PoolClient,
  changed: readonly Chunk[],
  newSeries: readonly number[],
): Promise<void> {
  const chunks = new Map(
    changed.map((chunk) => [`${chunk.key.seriesId}:${chunk.key.slot}`, chunk]),
  );
  for (const chunk of await loadAllChunks(client, newSeries))
    chunks.set(`${chunk.key.seriesId}:${chunk.key.slot}`, chunk);
  let finer = [...chunks.values()].map(({ key, points }) => ({
    seriesId: key.seriesId,
    from: key.slot * CHUNK_STEPS,
    to: (key.slot + 1) * CHUNK_STEPS,
    buckets: bucketsOfPoints(points),
  }));
  for (const level of ROLLUP_LEVELS) finer = await rollUpLevel(client, level, finer);
  if (newSeries.length > 0)
    await client.query("UPDATE series SET rolled = true WHERE id = ANY($1::int[])", [newSeries]);
}

/** A span of steps that changed, with all that a finer level knows of it. */
interface Span {
  seriesId: number;
  from: number;
  to: number;
  buckets: Buckets;
}

/**
 * One level: replaces the spans in the level's rows. Returns spans for the next level, widened to that level's
 * bucket edges, which the rows of this level cover whole.
 */
async function rollUpLevel(
  client: PoolClient,
  level: number,
  spans: readonly Span[],
): Promise<Span[]> {
  const width = 2 ** level;
  const rowSteps = width * ROLLUP_ROW_BUCKETS;
  const keyOf = (span: Span): RollupKey => ({
    seriesId: span.seriesId,
    level,
    slot: Math.floor(span.from / rowSteps),
  });
  const keys = new Map(spans.map((span) => [idOf(keyOf(span)), keyOf(span)]));
  const rows = await loadRollups(client, [...keys.values()]);
  for (const span of spans) {
    const id = idOf(keyOf(span));
    rows.set(
      id,
      spliceBuckets(
        rows.get(id) ?? emptyBuckets(),
        widenBuckets(span.buckets, width),
        span.from,
        span.to,
      ),
    );
  }
  await saveRollups(
    client,
    [...keys].map(([id, key]) => ({ key, buckets: rows.get(id) ?? emptyBuckets() })),
  );
  const nextWidth = width * 16;
  const next = new Map<string, Span>();
  for (const span of spans) {
    const from = Math.floor(span.from / nextWidth) * nextWidth;
    const to = Math.max(from + nextWidth, span.to);
    const row = rows.get(idOf(keyOf(span))) ?? emptyBuckets();
    next.set(`${span.seriesId}:${from}`, {
      seriesId: span.seriesId,
      from,
      to,
      buckets: sliceBuckets(row, from, to),
    });
  }
  return [...next.values()];
}

const idOf = (key: RollupKey) => `${key.seriesId}:${key.level}:${key.slot}`;

function sliceBuckets(buckets: Buckets, from: number, to: number): Buckets {
  const keep = <T>(list: T[]) =>
    list.filter((_, i) => (buckets.step[i] ?? 0) >= from && (buckets.step[i] ?? 0) < to);
  return {
    step: keep(buckets.step),
    last: keep(buckets.last),
    min: keep(buckets.min),
    max: keep(buckets.max),
    n: keep(buckets.n),
    flag: keep(buckets.flag),
    wallMs: keep(buckets.wallMs),
  };
}

async function loadAllChunks(client: PoolClient, seriesIds: readonly number[]): Promise<Chunk[]> {
  if (seriesIds.length === 0) return [];
  const { rows } = await queryArrays<ChunkRow>(
    client,
    "SELECT series_id, slot, steps, values, flags, wall_ms, seqs FROM chunk WHERE series_id = ANY($1::int[])",
    [seriesIds],
  );
  return rows.map((row) => ({
    key: { seriesId: row.series_id, slot: row.slot },
    points: pointsOfRow(row),
  }));
}
