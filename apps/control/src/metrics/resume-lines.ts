import type { PoolClient } from "pg";
import { emptyPoints, type Point, type Points, pushPoint, slotOf } from "#metrics/chunk-points.ts";
import { type ChunkRow, pointsOfRow, saveChunks } from "#metrics/chunk-rows.ts";
import { type Arrival, type FollowedLine, followLine, type Turn } from "#metrics/follow-line.ts";
import { queryArrays } from "#metrics/query-arrays.ts";
import { rollUp } from "#metrics/roll-up.ts";

interface SeriesRow {
  id: number;
  key: string;
  points: number;
  last_step: number;
  last_wall: number;
  rolled: boolean;
  back_steps: number[];
  back_proof: boolean;
}

/** A series of the run, with what is stored of it and what came. */
interface Line {
  key: string;
  row: SeriesRow | undefined;
  arrivals: readonly Arrival[];
  stored: readonly Point[];
  follow(most?: number): FollowedLine;
}

/** Where the run as a whole went back. */
interface MainTurn extends Turn {
  line: Line;
  /** So many turns of that kind most series took. */
  count: number;
}

export interface ResumedLines {
  kept: Map<string, Points>;
  eventIds: number[];
}

/** Measured beside the training, on steps of their own. */
const isOfSystem = (key: string) => /^system[./]/.test(key);
/** A series with fewer points than this share of the longest one says little of whether the run went back. */
const ACTIVE_SHARE = 0.1;
/** Steps before the first that arrives which are read as well: they tell from where a run went on. */
const STEPS_BEFORE = 256;

/**
 * Finds where an attached run went on from an earlier step, and sets aside what it logged behind that step before
 * (decision 0046): of what arrives and of what is stored. Returns the points that stay.
 */
export async function resumeLines(
  client: PoolClient,
  runId: string,
  arrivals: ReadonlyMap<string, readonly Arrival[]>,
): Promise<ResumedLines> {
  const rows = await readSeriesRows(client, runId);
  if (![...arrivals].some(([key, list]) => isUnusual(rows.get(key), list)))
    return { kept: pointsOf(arrivals), eventIds: [] };
  const resumedSeq = await readResumedSeq(client, runId);
  const lines: Line[] = [];
  for (const [key, list] of arrivals)
    lines.push(await openLine(client, { key, row: rows.get(key), list, resumedSeq }));
  const main = findMain(lines, rows);
  const restarts = [...arrivals.values()].flat().filter((one) => "restart" in one);
  const kept = new Map<string, Points>();
  const removals: Removal[] = [];
  const lost: number[] = [];
  for (const line of lines) {
    const { points, removal, lostTo } = settleLine(line, main);
    lost.push(lostTo);
    if (points.step.length > 0) kept.set(line.key, points);
    if (removal) removals.push(removal);
  }
  for (const row of rows.values())
    if (!arrivals.has(row.key)) {
      const from = await cutOfUnseen(client, row, main, restarts);
      const stays = (point: Point) => main !== null && !isBefore(point, main, point.step);
      if (from !== null) removals.push({ row, from, stays });
    }
  lost.push(await setAside(client, runId, removals));
  const newest = Math.max(...lost);
  const lostTo = newest === NOTHING_LOST ? null : newest;
  await saveBackSteps(client, lines, main);
  const told = restarts.findLast((one) => lostTo !== null && one.restart <= lostTo);
  const eventIds = await recordResume(client, runId, { main, told, lostTo });
  return { kept, eventIds };
}

/** Anything but points that go on from where the series is. */
function isUnusual(row: SeriesRow | undefined, list: readonly Arrival[]): boolean {
  if (row && row.back_steps.length > 0) return true;
  let last = row?.last_step ?? Number.NEGATIVE_INFINITY;
  for (const arrival of list) {
    if ("restart" in arrival || arrival.point.step <= last) return true;
    last = arrival.point.step;
  }
  return false;
}

export function pointsOf(arrivals: ReadonlyMap<string, readonly Arrival[]>): Map<string, Points> {
  const kept = new Map<string, Points>();
  for (const [key, list] of arrivals) {
    const points = emptyPoints();
    for (const arrival of list) if ("point" in arrival) pushPoint(points, arrival.point);
    if (points.step.length > 0) kept.set(key, points);
  }
  return kept;
}

async function readSeriesRows(client: PoolClient, runId: string): Promise<Map<string, SeriesRow>> {
  const { rows } = await client.query<SeriesRow>(
    "SELECT id, key, points, last_step, last_wall, rolled, back_steps, back_proof FROM series WHERE run_id = $1 AND points > 0",
    [runId],
  );
  return new Map(rows.map((row) => [row.key, row]));
}

/** The journal number with which the run went back last; 0 where it never did. */
async function readResumedSeq(client: PoolClient, runId: string): Promise<number> {
  const { rows } = await client.query<{ source_key: string }>(
    "SELECT source_key FROM run_event WHERE run_id = $1 AND kind = 'resume' AND source_key LIKE 'resume:%' ORDER BY id DESC LIMIT 1",
    [runId],
  );
  return Number(rows[0]?.source_key.split(":")[1] ?? 0);
}

async function readPointsFrom(client: PoolClient, row: SeriesRow, from: number): Promise<Point[]> {
  const { rows } = await queryArrays<ChunkRow>(
    client,
    "SELECT series_id, slot, steps, values, flags, wall_ms, seqs FROM chunk WHERE series_id = $1 AND slot >= $2 ORDER BY slot",
    [row.id, slotOf(from)],
  );
  return rows.flatMap((chunk) => listOf(pointsOfRow(chunk)));
}

const listOf = ({ step, value, flag, wallMs, seq }: Points): Point[] =>
  step.map((at, i) => ({
    ...{ step: at, value: value[i] ?? null, flag: flag[i] ?? 0 },
    ...{ wallMs: wallMs[i] ?? 0, seq: seq[i] ?? 0 },
  }));

async function openLine(
  client: PoolClient,
  {
    key,
    row,
    list,
    resumedSeq,
  }: { key: string; row: SeriesRow | undefined; list: readonly Arrival[]; resumedSeq: number },
): Promise<Line> {
  let lowest = row?.back_steps[0] ?? Number.POSITIVE_INFINITY;
  for (const one of list)
    lowest = Math.min(lowest, "restart" in one ? one.restart : one.point.step);
  const stored = row ? await readPointsFrom(client, row, lowest - STEPS_BEFORE) : [];
  const before = {
    points: stored,
    lastStep: row?.last_step ?? null,
    lastWallMs: row?.last_wall ?? Number.NEGATIVE_INFINITY,
    backSteps: row?.back_steps ?? [],
    backProof: row?.back_proof ?? false,
    isBehindResume: stored.length > 0 && stored.every(({ seq }) => seq < resumedSeq),
  };
  return { key, row, arrivals: list, stored, follow: (most) => followLine(before, list, most) };
}

const seenIn = (turns: readonly Turn[]) => turns.filter(({ kind }) => kind === "seen");

/** The newest turn that at least half of the run's series took; null where there is none. */
function findMain(lines: readonly Line[], rows: ReadonlyMap<string, SeriesRow>): MainTurn | null {
  const trained = lines.filter(({ key }) => !isOfSystem(key));
  const turnsOf = new Map(trained.map((line) => [line.key, seenIn(line.follow().turns)]));
  const sizes = new Map([...rows].map(([key, row]) => [key, row.points]));
  for (const { key, arrivals } of trained)
    sizes.set(key, (sizes.get(key) ?? 0) + arrivals.filter((one) => "point" in one).length);
  const back = trained.filter(({ key }) => (turnsOf.get(key)?.length ?? 0) > 0);
  const lead = back.toSorted((a, b) => (sizes.get(b.key) ?? 0) - (sizes.get(a.key) ?? 0))[0];
  if (!lead) return null;
  const least = (sizes.get(lead.key) ?? 0) * ACTIVE_SHARE;
  const active = [...sizes].filter(([key, size]) => !isOfSystem(key) && size >= least);
  const isWaiting = (key: string) => {
    const row = rows.get(key);
    return !turnsOf.has(key) && row !== undefined && row.back_proof && row.back_steps.length > 1;
  };
  const turns = turnsOf.get(lead.key) ?? [];
  for (let count = turns.length; count > 0; count--) {
    const took = active.filter(
      ([key]) => (turnsOf.get(key)?.length ?? 0) >= count || (count === 1 && isWaiting(key)),
    );
    const turn = turns[count - 1];
    if (turn && took.length * 2 >= active.length) return { ...turn, line: lead, count };
  }
  return null;
}

/** In place of the highest step that was set aside. */
const NOTHING_LOST = Number.NEGATIVE_INFINITY;

interface Removal {
  row: SeriesRow;
  from: number;
  /** Whether a stored point stays. */
  stays(point: Point): boolean;
}

/** What stays of a series that something came for, and what is set aside of it. */
function settleLine(
  line: Line,
  main: MainTurn | null,
): { points: Points; removal?: Removal; lostTo: number } {
  const { turns, line: now } = line.follow(main?.count ?? 0);
  let from = turns.reduce((low, turn) => Math.min(low, turn.from), Number.POSITIVE_INFINITY);
  if (main && seenIn(turns).length === 0 && sharesAxis(line, main)) {
    // It has not come again yet: what it has behind that step is of the attempt before.
    const orderOf = new Map(
      line.arrivals.flatMap((one) => ("point" in one ? [[one.point, one.order] as const] : [])),
    );
    const head = main.line.follow(main.count).head ?? Number.POSITIVE_INFINITY;
    for (const [step, point] of now) {
      const order = orderOf.get(point);
      const isOld = order === undefined ? isBefore(point, main, head) : order < main.order;
      if (step > head || (step >= main.from && isOld)) now.delete(step);
    }
    from = Math.min(from, main.from);
  }
  const left = new Set(now.values());
  const points = emptyPoints();
  let lostTo = NOTHING_LOST;
  for (const one of line.arrivals)
    if ("point" in one && !now.has(one.point.step)) lostTo = Math.max(lostTo, one.point.step);
  for (const one of line.arrivals)
    if ("point" in one && left.has(one.point)) pushPoint(points, one.point);
  if (!line.row || from === Number.POSITIVE_INFINITY) return { points, lostTo };
  const seqs = new Map(
    line.stored.filter((one) => left.has(one)).map(({ step, seq }) => [step, seq]),
  );
  return {
    points,
    lostTo,
    removal: { row: line.row, from, stays: ({ step, seq }) => seqs.get(step) === seq },
  };
}

/** Whether a stored point was there before the run went back. */
const isBefore = ({ seq, step }: Point, main: MainTurn, head: number) =>
  seq < main.seq || (seq === main.seq && step > head);

/** From which step on a series that nothing came for is cut; null where it stays whole. */
async function cutOfUnseen(
  client: PoolClient,
  row: SeriesRow,
  main: MainTurn | null,
  restarts: readonly { restart: number }[],
): Promise<number | null> {
  const told = Math.min(...restarts.map(({ restart }) => restart));
  if (row.last_step >= told) return told;
  if (!main || row.last_step < main.from || isOfSystem(row.key)) return null;
  const stored = await readPointsFrom(client, row, main.from);
  const line = { key: row.key, row, arrivals: [], stored, follow: () => followLine(NOTHING, []) };
  return sharesAxis(line, main) ? main.from : null;
}
const NOTHING = {
  ...{ points: [], lastStep: null, lastWallMs: 0, backSteps: [], backProof: false },
  isBehindResume: false,
};

/** Shorter differences than this say nothing, milliseconds. */
const CLOCK_SLACK_MS = 1000;
/** Points of a series that are compared. */
const COMPARED = 3;

/** Whether a series counts the same steps as the one that went back: its points then lie between those in time as they do by step. */
function sharesAxis({ stored, arrivals }: Line, { line: lead, from, order }: MainTurn): boolean {
  const before = (one: Arrival) => ("point" in one && one.order < order ? [one.point] : []);
  const known = new Map(
    [...lead.stored, ...lead.arrivals.flatMap(before)].map((one) => [one.step, one]),
  );
  const steps = [...known.keys()].sort((a, b) => a - b);
  const [last = 0, beforeLast = last] = steps.toReversed();
  const reach = last + (last - beforeLast);
  const own = [...stored, ...arrivals.flatMap(before)].filter(({ step }) => step >= from);
  return own.slice(-COMPARED).every(({ step, wallMs }) => {
    const previous = known.get(steps.findLast((one) => one <= step) ?? Number.NaN);
    const next = known.get(steps.find((one) => one >= step) ?? Number.NaN);
    if (step > reach || !(previous ?? next)) return false;
    const gap = previous && next ? Math.abs(next.wallMs - previous.wallMs) : 0;
    const slack = Math.max(CLOCK_SLACK_MS, gap);
    const isLater = !previous || wallMs >= previous.wallMs - slack;
    return isLater && (!next || wallMs <= next.wallMs + slack);
  });
}

/** Moves stored points to `abandoned_point`. Returns the highest step of them. */
async function setAside(
  client: PoolClient,
  runId: string,
  removals: readonly Removal[],
): Promise<number> {
  let lostTo = NOTHING_LOST;
  for (const { row, from, stays } of removals) {
    const { rows } = await queryArrays<ChunkRow>(
      client,
      "SELECT series_id, slot, steps, values, flags, wall_ms, seqs FROM chunk WHERE series_id = $1 AND slot >= $2 ORDER BY slot",
      [row.id, slotOf(from)],
    );
    const lost: Point[] = [];
    const changed = rows.flatMap((chunk) => {
      const points = emptyPoints();
      const all = listOf(pointsOfRow(chunk));
      for (const point of all) {
        if (point.step < from || stays(point)) pushPoint(points, point);
        else lost.push(point);
      }
      return points.step.length < all.length
        ? [{ key: { seriesId: row.id, slot: chunk.slot }, points }]
        : [];
    });
    if (lost.length === 0) continue;
    for (const { step } of lost) lostTo = Math.max(lostTo, step);
    await client.query(
      `INSERT INTO abandoned_point (run_id, key, step, value, flag, wall_ms)
       SELECT $1, $2, * FROM unnest($3::int[], $4::float8[], $5::int2[], $6::float8[])`,
      [
        ...[runId, row.key, lost.map(({ step }) => step), lost.map(({ value }) => value)],
        ...[lost.map(({ flag }) => flag), lost.map(({ wallMs }) => wallMs)],
      ],
    );
    await saveChunks(client, changed);
    if (row.rolled) await rollUp(client, changed, []);
    await client.query("DELETE FROM chunk WHERE series_id = $1 AND steps = '{}'", [row.id]);
    await renewSeries(client, row.id);
  }
  return lostTo;
}

/** The row of a series after points were taken out of it. One without points waits for the next, or is gone. */
async function renewSeries(client: PoolClient, id: number): Promise<void> {
  await client.query(
    `UPDATE series s SET points = coalesce(c.points, 0), back_steps = '{}', back_proof = false,
       last_step = coalesce(c.last_step, 0), last_wall = coalesce(c.last_wall, 0),
       last = CASE WHEN c.flag = 0 THEN c.last END
     FROM (SELECT 1) one LEFT JOIN LATERAL (
       SELECT (SELECT sum(cardinality(steps))::int FROM chunk WHERE series_id = $1) AS points,
         steps[cardinality(steps)] AS last_step, values[cardinality(values)] AS last,
         flags[cardinality(flags)] AS flag, wall_ms[cardinality(wall_ms)] AS last_wall
       FROM chunk WHERE series_id = $1 ORDER BY slot DESC LIMIT 1) c ON true
     WHERE s.id = $1`,
    [id],
  );
  await client.query("DELETE FROM series WHERE id = $1 AND points = 0", [id]);
}

async function saveBackSteps(
  client: PoolClient,
  lines: readonly Line[],
  main: MainTurn | null,
): Promise<void> {
  const list = lines.flatMap(({ row, follow }) => {
    if (!row) return [];
    const { backSteps, backProof } = follow(main?.count ?? 0);
    return [
      { id: row.id, steps: `{${backSteps.slice(-STEPS_BEFORE).join(",")}}`, proof: backProof },
    ];
  });
  await client.query(
    `UPDATE series s SET back_steps = t.steps::int[], back_proof = t.proof
     FROM unnest($1::int[], $2::text[], $3::bool[]) AS t(id, steps, proof) WHERE s.id = t.id`,
    [list.map(({ id }) => id), list.map(({ steps }) => steps), list.map(({ proof }) => proof)],
  );
}

async function recordResume(
  client: PoolClient,
  runId: string,
  {
    main,
    told,
    lostTo,
  }: {
    main: MainTurn | null;
    told: { restart: number; wallMs: number; seq: number; order: number } | undefined;
    lostTo: number | null;
  },
): Promise<number[]> {
  const step = main ? main.keptStep : told?.restart;
  const at = main ?? told;
  if (at === undefined || step === undefined) return [];
  const behind =
    lostTo === null ? "" : `; what was logged up to step ${lostTo} before is set aside`;
  const words = step === null ? `Started again at step ${main?.from}` : `Resumed from step ${step}`;
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO run_event (run_id, source_key, kind, step, at, actor, message)
     VALUES ($1, $2, 'resume', $3, to_timestamp($4::float8 / 1000), 'ingest', $5) ON CONFLICT DO NOTHING RETURNING id`,
    [runId, `resume:${at.seq}:${at.order}`, step ?? 0, at.wallMs, `${words}${behind}`],
  );
  return rows.map(({ id }) => id);
}
