import type { ClientBase } from "pg";
import type { Buckets } from "#metrics/buckets.ts";
import type { Points } from "#metrics/chunk-points.ts";
import { arrayText, queryArrays } from "#metrics/query-arrays.ts";

export interface ChunkKey {
  seriesId: number;
  slot: number;
}
export interface RollupKey extends ChunkKey {
  level: number;
}

/** A row as `queryArrays` gives it. */
export interface ChunkRow {
  series_id: number;
  slot: number;
  steps: number[];
  values: number[];
  flags: number[];
  wall_ms: number[];
  seqs: number[];
}

export function pointsOfRow(row: Omit<ChunkRow, "series_id" | "slot">): Points {
  return {
    step: row.steps,
    value: row.values.map((value, i) => (row.flags[i] === 0 ? value : null)),
    flag: row.flags,
    wallMs: row.wall_ms,
    seq: row.seqs,
  };
}

const idOf = ({ seriesId, slot }: ChunkKey) => `${seriesId}:${slot}`;
/** Where a value is not finite its flag says how: the value itself is nothing. */
const finite = (list: readonly (number | null)[]) =>
  list.includes(null) ? list.map((value) => value ?? 0) : list;

/** The chunks of the keys, as `seriesId:slot` → points; a chunk that is not there yet has no entry. */
export async function loadChunks(
  client: ClientBase,
  keys: readonly ChunkKey[],
): Promise<Map<string, Points>> {
  const { rows } = await queryArrays<ChunkRow>(
    client,
    `SELECT c.series_id, c.slot, c.steps, c.values, c.flags, c.wall_ms, c.seqs
     FROM chunk c JOIN unnest($1::int[], $2::int[]) AS k(series_id, slot) ON c.series_id = k.series_id AND c.slot = k.slot`,
    [keys.map((key) => key.seriesId), keys.map((key) => key.slot)],
  );
  return new Map(
    rows.map((row) => [idOf({ seriesId: row.series_id, slot: row.slot }), pointsOfRow(row)]),
  );
}

export async function saveChunks(
  client: ClientBase,
  chunks: readonly { key: ChunkKey; points: Points }[],
): Promise<void> {
  await client.query(
    `INSERT INTO chunk (series_id, slot, steps, values, flags, wall_ms, seqs, max_seq)
     SELECT series_id, slot, steps::int[], vals::float8[], flags::int2[], walls::float8[], seqs::int8[], max_seq
     FROM unnest($1::int[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int8[])
       AS t(series_id, slot, steps, vals, flags, walls, seqs, max_seq)
     ON CONFLICT (series_id, slot) DO UPDATE SET steps = EXCLUDED.steps, values = EXCLUDED.values, flags = EXCLUDED.flags,
       wall_ms = EXCLUDED.wall_ms, seqs = EXCLUDED.seqs, max_seq = EXCLUDED.max_seq`,
    [
      chunks.map(({ key }) => key.seriesId),
      chunks.map(({ key }) => key.slot),
      chunks.map(({ points }) => arrayText(points.step)),
      chunks.map(({ points }) => arrayText(finite(points.value))),
      chunks.map(({ points }) => arrayText(points.flag)),
      chunks.map(({ points }) => arrayText(points.wallMs)),
      chunks.map(({ points }) => arrayText(points.seq)),
      chunks.map(({ points }) => points.seq.reduce((a, b) => Math.max(a, b), 0)),
    ],
  );
}

/** A row as `queryArrays` gives it. */
export interface RollupRow {
  series_id: number;
  level: number;
  slot: number;
  steps: number[];
  lasts: (number | null)[];
  mins: (number | null)[];
  maxs: (number | null)[];
  ns: number[];
  flags: number[];
  wall_ms: number[];
}

export function bucketsOfRow(row: Omit<RollupRow, "series_id" | "level" | "slot">): Buckets {
  return {
    step: row.steps,
    last: row.lasts,
    min: row.mins,
    max: row.maxs,
    n: row.ns,
    flag: row.flags,
    wallMs: row.wall_ms,
  };
}

export async function loadRollups(
  client: ClientBase,
  keys: readonly RollupKey[],
): Promise<Map<string, Buckets>> {
  const { rows } = await queryArrays<RollupRow>(
    client,
    `SELECT r.* FROM rollup r JOIN unnest($1::int[], $2::int[], $3::int[]) AS k(series_id, level, slot)
       ON r.series_id = k.series_id AND r.level = k.level AND r.slot = k.slot`,
    [keys.map((key) => key.seriesId), keys.map((key) => key.level), keys.map((key) => key.slot)],
  );
  return new Map(
    rows.map((row) => [`${row.series_id}:${row.level}:${row.slot}`, bucketsOfRow(row)]),
  );
}

export async function saveRollups(
  client: ClientBase,
  rollups: readonly { key: RollupKey; buckets: Buckets }[],
): Promise<void> {
  await client.query(
    `INSERT INTO rollup (series_id, level, slot, steps, lasts, mins, maxs, ns, flags, wall_ms)
     SELECT series_id, level, slot, steps::int[], lasts::float8[], mins::float8[], maxs::float8[], ns::int[], flags::int2[], walls::float8[]
     FROM unnest($1::int[], $2::int[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
       AS t(series_id, level, slot, steps, lasts, mins, maxs, ns, flags, walls)
     ON CONFLICT (series_id, level, slot) DO UPDATE SET steps = EXCLUDED.steps, lasts = EXCLUDED.lasts, mins = EXCLUDED.mins,
       maxs = EXCLUDED.maxs, ns = EXCLUDED.ns, flags = EXCLUDED.flags, wall_ms = EXCLUDED.wall_ms`,
    [
      rollups.map(({ key }) => key.seriesId),
      rollups.map(({ key }) => key.level),
      rollups.map(({ key }) => key.slot),
      rollups.map(({ buckets }) => arrayText(buckets.step)),
      rollups.map(({ buckets }) => arrayText(buckets.last)),
      rollups.map(({ buckets }) => arrayText(buckets.min)),
      rollups.map(({ buckets }) => arrayText(buckets.max)),
      rollups.map(({ buckets }) => arrayText(buckets.n)),
      rollups.map(({ buckets }) => arrayText(buckets.flag)),
      rollups.map(({ buckets }) => arrayText(buckets.wallMs)),
    ],
  );
}
