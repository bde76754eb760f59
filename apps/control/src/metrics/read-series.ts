import type { ReadSeries, SeriesAnswer, SeriesBuckets } from "@liverl/contract/metric";
import type { Pool, PoolClient } from "pg";
import { inTransaction } from "#database/in-transaction.ts";
import {
  type Buckets,
  bucketsOfPoints,
  bucketWidth,
  emptyBuckets,
  ROLLUP_LEVELS,
  ROLLUP_ROW_BUCKETS,
  widenBuckets,
} from "#metrics/buckets.ts";
import { CHUNK_STEPS, slotOf } from "#metrics/chunk-points.ts";
import { bucketsOfRow, type ChunkRow, pointsOfRow, type RollupRow } from "#metrics/chunk-rows.ts";
import { isOnLine, type Resumption } from "#metrics/is-on-line.ts";
import { queryArrays } from "#metrics/query-arrays.ts";

interface SeriesRow {
  id: number;
  key: string;
  first_slot: number;
  last_step: number;
  rolled: boolean;
}

/**
 * Buckets of the asked series, with the cursor from which a live stream goes on without a gap.
 * A key that the run has not logged is left out. Buckets at the ends of the range are whole ones. What an attempt logged behind the
 * checkpoint that the present one went on from is left out, too: an export has it.
 */
export function readSeries(pool: Pool, input: ReadSeries): Promise<SeriesAnswer> {
  return inTransaction(
    pool,
    async (client) => {
      const state = await client.query<{ folded_seq: string }>(
        "SELECT folded_seq FROM ingest_state WHERE id = 1",
      );
      const { rows } = await client.query<SeriesRow>(
        `SELECT s.id, s.key, s.last_step, s.rolled, (SELECT min(c.slot) FROM chunk c WHERE c.series_id = s.id) AS first_slot
         FROM series s WHERE s.run_id = $1 AND s.key = ANY($2::text[])`,
        [input.runId, input.keys],
      );
      const resumed = await readResumption(client, input.runId);
      const [lo, hi] = input.range ?? [
        rows.reduce(
          (a, row) => Math.min(a, row.first_slot * CHUNK_STEPS),
          Number.POSITIVE_INFINITY,
        ),
        rows.reduce((a, row) => Math.max(a, row.last_step), Number.NEGATIVE_INFINITY),
      ];
      const width =
        Number.isFinite(lo) && Number.isFinite(hi) ? bucketWidth(lo, hi, input.buckets) : 1;
      const from = Math.floor(lo / width) * width;
      const to = (Math.floor(hi / width) + 1) * width;
      const byKey = new Map(rows.map((row) => [row.key, row]));
      const series: SeriesBuckets[] = [];
      for (const key of input.keys) {
        const row = byKey.get(key);
        if (row)
          series.push(
            answerOf(
              key,
              widenBuckets(
                keepBuckets(
                  await load(client, row, width, from, to),
                  (step, wallMs) =>
                    step >= from && step < to && isOnLine({ step, wallMs }, resumed),
                ),
                width,
              ),
            ),
          );
      }
      return { bucketSteps: width, cursor: state.rows[0]?.folded_seq ?? "0", series };
    },
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
  );
}

/** The coarsest stored form that is still as fine as the buckets asked for. */
async function load(
  client: PoolClient,
  series: SeriesRow,
  width: number,
  from: number,
  to: number,
): Promise<Buckets> {
  const level = series.rolled
    ? ROLLUP_LEVELS.findLast((candidate) => 2 ** candidate <= width)
    : undefined;
  if (level === undefined) {
    const { rows } = await queryArrays<ChunkRow>(
      client,
      "SELECT steps, values, flags, wall_ms, seqs FROM chunk WHERE series_id = $1 AND slot BETWEEN $2 AND $3 ORDER BY slot",
      [series.id, slotOf(from), slotOf(to - 1)],
    );
    return concatenate(rows.map((row) => bucketsOfPoints(pointsOfRow(row))));
  }
  const rowSteps = 2 ** level * ROLLUP_ROW_BUCKETS;
  const { rows } = await queryArrays<RollupRow>(
    client,
    "SELECT steps, lasts, mins, maxs, ns, flags, wall_ms FROM rollup WHERE series_id = $1 AND level = $2 AND slot BETWEEN $3 AND $4 ORDER BY slot",
    [series.id, level, Math.floor(from / rowSteps), Math.floor((to - 1) / rowSteps)],
  );
  return concatenate(rows.map(bucketsOfRow));
}

function concatenate(parts: readonly Buckets[]): Buckets {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  return {
    step: parts.flatMap((part) => part.step),
    last: parts.flatMap((part) => part.last),
    min: parts.flatMap((part) => part.min),
    max: parts.flatMap((part) => part.max),
    n: parts.flatMap((part) => part.n),
    flag: parts.flatMap((part) => part.flag),
    wallMs: parts.flatMap((part) => part.wallMs),
  };
}

/** Where the run's present attempt went on from; null for one that never did. */
async function readResumption(client: PoolClient, runId: string): Promise<Resumption | null> {
  const { rows } = await client.query<{ at: Date; step: number | null }>(
    "SELECT at, step FROM run_event WHERE run_id = $1 AND kind = 'resume' AND actor <> 'ingest' ORDER BY at DESC, id DESC LIMIT 1",
    [runId],
  );
  const [newest] = rows;
  return newest && newest.step !== null
    ? { sinceMs: newest.at.getTime(), fromStep: newest.step }
    : null;
}

/** Those whose step is asked for. Edges of a range are multiples of the width, so no bucket is cut there. */
function keepBuckets(buckets: Buckets, isKept: (step: number, wallMs: number) => boolean): Buckets {
  const inside = buckets.step.map((step, i) => isKept(step, buckets.wallMs[i] ?? 0));
  if (inside.every(Boolean)) return buckets;
  const keep = <T>(list: T[]) => list.filter((_, i) => inside[i]);
  const kept = emptyBuckets();
  return Object.assign(kept, {
    step: keep(buckets.step),
    last: keep(buckets.last),
    min: keep(buckets.min),
    max: keep(buckets.max),
    n: keep(buckets.n),
    flag: keep(buckets.flag),
    wallMs: keep(buckets.wallMs),
  });
}

function answerOf(key: string, buckets: Buckets): SeriesBuckets {
  return {
    key,
    step: buckets.step,
    value: buckets.last,
    min: buckets.min,
    max: buckets.max,
    n: buckets.n,
    flag: buckets.flag,
    wallMs: buckets.wallMs,
  };
}
