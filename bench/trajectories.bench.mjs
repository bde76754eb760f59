// How long the trajectory table takes to answer a filter, and the runs table of 5,000 runs: rows are put into the app's own PostgreSQL by
// SQL, then asked for through tRPC as the page does, the first page with its count; then in Chromium, from the last letter or click to the rows. `--rows 10000,100000,1000000` (each size is a run of its
// own, in one table), `--asks N` a filter. Prints one JSON object last; exit 0 only when every filter's p95 at the largest size holds, asked
// and typed. Clicks on a column are told beside it: a million rows are sorted for each.
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { LiveRL, quantile, report, say, spinMs } from "./liverl.mjs";
import { measureTable } from "./table-answers.mjs";
import { openBrowser } from "./throttled-browser.mjs";

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
/** As the page asks. */
const PAGE_OF_RUNS = 50;
const FAILED = { status: ["failed"] };
const RUN_ASKS = [
  {},
  { f: "status = failed" },
  { f: "name ~ 17" },
  { f: "tag = nightly and reward > 0.5" },
  { f: "reward < 0.2 and algorithm = grpo" },
  { f: "step > 50 and heldout > 0.3 and idle < 0.5" },
  { f: "steptime > 5 and hours < 1" },
  FAILED,
  { look: true },
  ...["started", "name", "status", "reward", "step", "heldout", "mfu", "idle"].map((name) => ({
    sort: `-${name}`,
  })),
  ...["-steptime", "-hours", "reward"].map((sort) => ({ sort })),
  { ...FAILED, sort: "-reward" },
  { ...FAILED, sort: "-hours", f: "tag = nightly" },
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

/** Runs as LiveRL drives them, but for those under way, which it would set out to train: with a whole spec, moves of their status among other events, and all of the series that a trainer logs. */
async function fillRuns(count) {
  const spec = await live.presetSpec("quickstart");
  await sql.query(
    `INSERT INTO run (id, project, name, status, driver, color, tags, spec, created_at, started_at)
     SELECT 'many-' || at, 'many', 'many-' || at,
       CASE WHEN at <= 20 THEN 'running' WHEN at % 9 = 0 THEN 'failed' WHEN at % 9 = 1 THEN 'cancelled' ELSE 'succeeded' END,
       CASE WHEN at <= 20 THEN 'attached' ELSE 'embedded' END,
       at % 8 + 1, CASE WHEN at % 5 = 0 THEN ARRAY['nightly'] ELSE '{}' END,
       jsonb_set($2::jsonb, '{algorithm,adv_estimator}', to_jsonb((ARRAY['grpo', 'gae', 'grpo'])[at % 3 + 1])),
       now() - at * interval '1 minute', now() - at * interval '1 minute'
     FROM generate_series(1, $1::int) AS at`,
    [count, JSON.stringify(spec)],
  );
  await sql.query(
    `INSERT INTO run_event (run_id, kind, at, actor, message)
     SELECT 'many-' || at, kind, now() - at * interval '1 minute' + nth * interval '1 second' * (at % 50 + 1), 'bench', message
     FROM generate_series(1, $1::int) AS at, (VALUES (0, 'status', 'booting'), (1, 'status', 'running'), (9, 'status', 'succeeded')) AS move (nth, kind, message)
     UNION ALL SELECT 'many-' || at, 'checkpoint', now(), 'bench', 'step ' || nth FROM generate_series(1, $1::int) AS at, generate_series(1, 30) AS nth`,
    [count],
  );
  const other = Array.from({ length: 60 }, (_, i) => `bench/quantity_${i}`);
  await sql.query(
    `INSERT INTO series (run_id, key, points, last_step, last, last_wall)
     SELECT 'many-' || at, key, 100, 100, 0.5, 0 FROM generate_series(1, $1::int) AS at, unnest($2::text[]) AS key`,
    [count, other],
  );
  const judged = ["critic/rewards/mean", "val-core/bench/acc/mean@1", "actor/entropy"];
  const times = ["timing_s/step", "perf/mfu/actor", "fully_async/trainer/idle_ratio"];
  for (const key of [...judged, ...times])
    await sql.query(
      `WITH made AS (INSERT INTO series (run_id, key, points, last_step, last, last_wall)
         SELECT 'many-' || at, $2, 100, 100, ((at * 37 + length($2) * 91) % 1000) / 1000.0, 0 FROM generate_series(1, $1::int) AS at RETURNING id, last)
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
  await sql.query("VACUUM ANALYZE run_event");
  for (const f of FILTERS) {
    const bySize = {};
    for (const rows of SIZES) {
      bySize[rows] = await measure("rollout.list", { runId: `rows-${rows}`, f });
      say(`${rows} · ${f || "(all)"}: ${JSON.stringify(bySize[rows])}`);
    }
    figures.rollouts[f || "(all)"] = bySize;
  }
  for (const asked of RUN_ASKS) {
    const name = JSON.stringify(asked);
    figures.runs[name] = await measure("run.list", {
      project: "many",
      limit: PAGE_OF_RUNS,
      ...asked,
    });
    say(`runs · ${name}: ${JSON.stringify(figures.runs[name])}`);
  }
  const browser = await openBrowser(live, 1);
  figures.browser = {
    runs: await measureTable(browser, {
      url: `${live.url}/p/many/runs`,
      ...{ rows: ".runs-table tbody tr", busy: ".runs-wrap" },
      filters: [
        "status = failed",
        "reward > 0.5",
        "name ~ 17",
        "tag = nightly",
        "mfu > 0.5",
        "step > 50 and reward < 0.2",
      ],
      columns: ["Reward", "Held-out", "Step time", "Hours", "Run"],
    }),
    rollouts: await measureTable(browser, {
      url: `${live.url}/p/bench/runs/rows-${Math.max(...SIZES)}/rollouts`,
      ...{ rows: "[role=table] [role=rowgroup] [role=row]", busy: "section" },
      filters: [
        "reward < 0.5",
        "turns > 30",
        "task ~ django",
        "reason = timeout",
        "flag = tests-edited",
        "step < 100",
      ],
      columns: ["Reward", "Turns"],
    }),
  };
  say(JSON.stringify(figures.browser));
  await browser.close();
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
const ofPages = Object.values(figures.browser).map(({ typedP95Ms }) => typedP95Ms);
figures.worstP95Ms = {
  ...{ rollouts: worst(largest), runs: worstRuns },
  ...{ pages: Math.max(...ofPages), goal: GOAL_MS },
};
report("trajectories", {
  ok: worst(largest) < GOAL_MS && worstRuns < GOAL_MS && Math.max(...ofPages) < GOAL_MS,
  figures,
  peers: {},
});
