// How long the trajectory table takes to answer a filter, and the runs table of 5,000 runs: rows are put into the app's own PostgreSQL by
// SQL, then asked for through tRPC as the page does, the first page with its count. `--rows 10000,100000,1000000` (each size is a run of its
// own, in one table), `--asks N` a filter. Prints one JSON object last; exit 0 only when every filter's p95 at the largest size holds.
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { LiveRL, quantile, report, say, spinMs } from "./liverl.mjs";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "10000,100000,1000000" },
    runs: { type: "string", default: "5000" },
    asks: { type: "string", default: "30" },
    json: { type: "boolean" },
  },
});
const SIZES = values.rows.split(",").map(Number);
const ASKS = Number(values.asks);
const GOAL_MS = 300;
const BATCH = 50_000;
const FILTERS = [
  "",
  "reward < 0.5",
  'reward < 0.5 and reason = "timeout"',
  'reward < 0.5 and reason = "timeout" and step in 100..120',
  'task ~ "django"',
  'task = "flask-37" and reward = 1',
  "tag = suspect and flag = none",
  "flag = tests-edited and reward = 1",
  'error ~ "image" or status = running',
  "not (mode = train and reward != none) and turns > 30",
];
const RUN_FILTERS = [
  "",
  "status = failed",
  "name ~ 17",
  "tag = nightly and reward > 0.5",
  "reward < 0.2 and algorithm = grpo",
];

const live = await LiveRL.create();
await live.start();
const sql = await connect();

/** The app's own PostgreSQL, where its record says it is. */
async function connect() {
  const { data } = JSON.parse(readFileSync(join(live.dataDir, "postgres.json"), "utf8"));
  const host = join(dirname(resolve(live.dataDir, data)), "postgres-socket");
  const client = new pg.Client({ host, user: "postgres", database: "postgres" });
  await client.connect();
  return client;
}

async function fillRun(id, rows) {
  await sql.query(
    `INSERT INTO run (id, project, name, status, driver, color, tags) VALUES ($1, 'bench', $1, 'running', 'attached', 1, '{}')`,
    [id],
  );
  const insert = readFileSync(new URL("./trajectory-rows.sql", import.meta.url), "utf8");
  for (let at = 0; at < rows; at += BATCH)
    await sql.query(insert, [id, at, Math.min(rows, at + BATCH)]);
}

async function fillRuns(count) {
  await sql.query(
    `INSERT INTO run (id, project, name, status, driver, color, tags, spec, created_at)
     SELECT 'many-' || at, 'many', 'many-' || at, CASE at % 9 WHEN 0 THEN 'failed' WHEN 1 THEN 'cancelled' ELSE 'succeeded' END, 'attached',
       at % 8 + 1, CASE WHEN at % 5 = 0 THEN ARRAY['nightly'] ELSE '{}' END,
       jsonb_build_object('algorithm', jsonb_build_object('adv_estimator', (ARRAY['grpo', 'ppo', 'gspo'])[at % 3 + 1], 'trainer_mode', 'sync')),
       now() - at * interval '1 minute'
     FROM generate_series(1, $1::int) AS at`,
    [count],
  );
  for (const key of ["critic/rewards/mean", "actor/entropy", "timing_s/step", "perf/mfu/actor"])
    await sql.query(
      `WITH made AS (INSERT INTO series (run_id, key, points, last_step, last, last_wall)
         SELECT 'many-' || at, $2, 100, 100, (at % 100) / 100.0, 0 FROM generate_series(1, $1::int) AS at RETURNING id, last)
       INSERT INTO chunk (series_id, slot, steps, values, flags, wall_ms, seqs, max_seq)
       SELECT id, 0, array_agg(step), array_agg(last), array_agg(0::smallint), array_agg(step * 1000.0), array_agg(step::bigint), 100
       FROM made, generate_series(1, 100) AS step GROUP BY id`,
      [count, key],
    );
}

async function measure(procedure, input) {
  const times = [];
  let answer = null;
  for (let ask = 0; ask < ASKS + 2; ask += 1) {
    const began = performance.now();
    answer = await live.query(procedure, input);
    // The first two fill the caches, as the page of the moment before did.
    if (ask > 1) times.push(performance.now() - began);
  }
  const total = answer.hasMoreThanTotal ? `${answer.total}+` : answer.total;
  return {
    p50Ms: Math.round(quantile(times, 0.5)),
    p95Ms: Math.round(quantile(times, 0.95)),
    total,
  };
}

const figures = { rollouts: {}, runs: {}, growth: {}, spinMs: spinMs() };
try {
  for (const rows of SIZES) {
    const began = performance.now();
    await fillRun(`rows-${rows}`, rows);
    say(`${rows} rows in ${Math.round((performance.now() - began) / 1000)} s`);
  }
  await fillRuns(Number(values.runs));
  await sql.query("VACUUM ANALYZE rollout");
  await sql.query("VACUUM ANALYZE run");
  await sql.query("VACUUM ANALYZE series");
  await sql.query("VACUUM ANALYZE chunk");
  for (const f of FILTERS) {
    const bySize = {};
    for (const rows of SIZES) {
      bySize[rows] = await measure("rollout.list", { runId: `rows-${rows}`, f });
      say(`${rows} · ${f || "(all)"}: ${JSON.stringify(bySize[rows])}`);
    }
    figures.rollouts[f || "(all)"] = bySize;
  }
  for (const f of RUN_FILTERS) {
    figures.runs[f || "(all)"] = await measure("run.list", { project: "many", f });
    say(`runs · ${f || "(all)"}: ${JSON.stringify(figures.runs[f || "(all)"])}`);
  }
} finally {
  await sql.end();
  await live.stop();
  live.remove();
}
const smallest = Math.min(...SIZES);
const worst = (rows) =>
  Math.max(...Object.values(figures.rollouts).map((bySize) => bySize[rows].p95Ms));
for (const rows of SIZES)
  figures.growth[rows] = Number((worst(rows) / Math.max(1, worst(smallest))).toFixed(2));
const worstRuns = Math.max(...Object.values(figures.runs).map(({ p95Ms }) => p95Ms));
const largest = Math.max(...SIZES);
figures.worstP95Ms = { rollouts: worst(largest), runs: worstRuns, goal: GOAL_MS };
report("trajectories", {
  ok: worst(largest) < GOAL_MS && worstRuns < GOAL_MS,
  figures,
  peers: {},
});
