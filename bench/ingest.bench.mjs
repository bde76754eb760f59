// How fast metrics come in and are read: our MLflow route and our own JSON route, each with every point fsynced before its answer,
// beside a real MLflow server and a real trackio server in the same run. `durable` is the rate until the last answer, `visible` the rate
// until all can be read. Then a series of ten million points is read as a chart does. `--peers=mlflow,trackio` chooses (`--peers=` none),
// `--points N` of the long series. Prints one JSON object last; exit 0 only when every goal holds.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { LiveRL, quantile, report, say, spinMs, until } from "./liverl.mjs";
import { loadMlflow, loadRows, loadSeries, metricAt } from "./metric-load.mjs";
import { answers, startServer } from "./peers/peers.mjs";
import { processCost } from "./process-cost.mjs";

const { values } = parseArgs({
  options: {
    peers: { type: "string", default: "mlflow,trackio" },
    points: { type: "string", default: "10000000" },
    json: { type: "boolean" },
  },
});
const LONG = Number(values.points);
const LONG_BATCH = 100_000;
const READS = 40;
const READ_GOAL_MS = 300;
const wanted = values.peers.split(",").filter(Boolean);

const live = await LiveRL.create();
await live.start();
const token = readFileSync(join(live.dataDir, "ingest.token"), "utf8").trim();
const auth = { authorization: `Bearer ${token}` };
const goals = [];
const goal = (what, value, said, ok) => goals.push({ what, value, goal: said, ok });

/** Waits until a run has so many points that can be read; the run's counts are the store's own. */
async function visible(runIds, points) {
  await until(
    async () => {
      let seen = 0;
      for (const runId of runIds)
        for (const key of (await live.query("metric.keys", { runId })).keys) seen += key.points;
      return seen >= points;
    },
    { what: `${points} points`, timeoutMs: 600_000 },
  );
}

async function runsNamed(project) {
  return (await live.query("run.list", { project })).runs.map(({ id }) => id);
}

/** A load, and what it cost, until its points can be read. */
async function measure(name, project, load) {
  const before = processCost(live.control.pid);
  const spin = spinMs();
  const began = performance.now();
  const sent = await load();
  await visible(await runsNamed(project), sent.points);
  const seconds = (performance.now() - began) / 1000;
  const cpuMs = processCost(live.control.pid).cpuMs - before.cpuMs;
  const figures = {
    ...sent,
    visiblePointsPerSecond: Math.round(sent.points / seconds),
    cpuUsPerPoint: Number(((cpuMs * 1000) / sent.points).toFixed(1)),
    spinMs: spin,
  };
  delete figures.runs;
  say(`${name}: ${JSON.stringify(figures)}`);
  return figures;
}

const mlflowLoad = (name, batches, width) => () =>
  loadMlflow(live.url, auth, { name, batches, width });
const rowsLoad = (project, batches, width) => () =>
  loadRows(live.url, auth, { project, run: "rows", batches, rows: 250, width });
// A server that has run for a while: compiled, its caches filled.
await measure("warm-up", "warm-up", mlflowLoad("warm-up", 100, 1));
await measure("warm-up", "warm-rows", rowsLoad("warm-rows", 20, 1));
const figures = {
  mlflowOne: await measure("MLflow route, 1 client", "m1", mlflowLoad("m1", 300, 1)),
  mlflowFour: await measure("MLflow route, 4 clients", "m4", mlflowLoad("m4", 400, 4)),
  rowsOne: await measure("JSON route, 1 client", "r1", rowsLoad("r1", 100, 1)),
  rowsFour: await measure("JSON route, 4 clients", "r4", rowsLoad("r4", 200, 4)),
};

/** The long series, sent in parts so that no part waits in memory for the next. */
const longBegan = performance.now();
let longSent = null;
for (let from = 0; from < LONG; from += 10 * LONG_BATCH) {
  const requests = Math.min(10, Math.ceil((LONG - from) / LONG_BATCH));
  const what = { project: "long", run: "long", from, requests, count: LONG_BATCH };
  longSent = await loadSeries(live.url, auth, what);
}
await visible(["long-01"], LONG);
const longSeconds = (performance.now() - longBegan) / 1000;
say(`long series: ${LONG} points in ${longSeconds.toFixed(1)} s, last ${JSON.stringify(longSent)}`);

/** One read as a chart does; the newest value is compared. */
async function read(range) {
  const began = performance.now();
  const { series } = await live.query("metric.series", {
    ...{ runId: "long-01", keys: ["long"], buckets: 600 },
    ...(range ? { range } : {}),
  });
  const ms = performance.now() - began;
  const last = series[0].step.at(-1);
  if (series[0].value.at(-1) !== metricAt(0, last))
    throw new Error(`step ${last} has another value`);
  const n = series[0].n.reduce((a, b) => a + b, 0);
  if (!range && n !== LONG) throw new Error(`${n} points instead of ${LONG}`);
  return ms;
}
const reads = { whole: [], zoomed: [] };
for (let i = 0; i < READS; i++) {
  reads.whole.push(await read(null));
  const width = Math.max(1000, Math.round(LONG / 2 ** (1 + (i % 12))));
  const from = Math.round(((LONG - width) * i) / READS);
  reads.zoomed.push(await read([from, from + width - 1]));
}
const readFigures = Object.fromEntries(
  Object.entries(reads).map(([name, times]) => [
    name,
    {
      first: Number(times[0].toFixed(1)),
      p50: Number(quantile(times, 0.5).toFixed(1)),
      p99: Number(quantile(times, 0.99).toFixed(1)),
    },
  ]),
);
say(`reads of ${LONG} points: ${JSON.stringify(readFigures)}`);
await live.stop();
live.remove();

const peers = {};
const skip = (name, why) => {
  say(`SKIPPED ${name}: ${why}`);
  peers[name] = { skipped: why };
};
if (wanted.includes("mlflow")) {
  const peer = await startServer("mlflow", { isReady: (url) => answers(`${url}/health`) });
  if (peer.why) skip("mlflow", peer.why);
  else {
    const load = (name, batches, width) => loadMlflow(peer.url, {}, { name, batches, width });
    await load("warm-up", 5, 1);
    peers.mlflow = {
      one: await load("m1", 50, 1),
      four: await load("m4", 60, 4),
      spinMs: spinMs(),
    };
    delete peers.mlflow.one.runs;
    delete peers.mlflow.four.runs;
    say(`mlflow: ${JSON.stringify(peers.mlflow)}`);
    peer.stop();
  }
}
if (wanted.includes("trackio")) {
  const saidBy = (directory, port) => {
    const path = join(directory, `said-${port}`);
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    return /https?:\/\/\S*write_token=[\w-]+/.exec(text)?.[0];
  };
  const peer = await startServer("trackio", {
    isReady: (url, directory, port) => saidBy(directory, port) && answers(`${url}/version`),
  });
  if (peer.why) skip("trackio", peer.why);
  else {
    const program = fileURLToPath(new URL("peers/trackio/ingest.py", import.meta.url));
    const env = { ...process.env, TRACKIO_SERVER_URL: saidBy(peer.directory, peer.port) };
    const rounds = [];
    for (const steps of ["500", "5000", "5000"]) {
      const { stdout, stderr, status } = spawnSync(
        join(peer.directory, "venv/bin/python"),
        [program, steps, "20"],
        { env, encoding: "utf8", timeout: 300_000 },
      );
      if (status !== 0) throw new Error(`trackio's client: ${stderr.slice(-500)}`);
      rounds.push(JSON.parse(stdout.trim().split("\n").at(-1)));
    }
    // The first one is its warm-up.
    peers.trackio = { rounds: rounds.slice(1), spinMs: spinMs() };
    peers.trackio.pointsPerSecond = Math.max(...peers.trackio.rounds.map((r) => r.pointsPerSecond));
    say(`trackio: ${JSON.stringify(peers.trackio)}`);
    peer.stop();
  }
}

if (peers.mlflow && !peers.mlflow.skipped)
  for (const [ours, theirs] of [
    ["mlflowOne", "one"],
    ["mlflowFour", "four"],
  ]) {
    const times = figures[ours].visiblePointsPerSecond / peers.mlflow[theirs].pointsPerSecond;
    goal(`${ours}: visible, times MLflow's`, Number(times.toFixed(1)), "≥ 10", times >= 10);
  }
if (peers.trackio && !peers.trackio.skipped) {
  const durable = Math.max(figures.rowsOne.pointsPerSecond, figures.rowsFour.pointsPerSecond);
  const times = durable / peers.trackio.pointsPerSecond;
  goal("JSON route: durable, times trackio's", Number(times.toFixed(2)), "≥ 1", times >= 1);
}
for (const [name, { p99 }] of Object.entries(readFigures))
  goal(`read of ${LONG} points, ${name}, p99 ms`, p99, `< ${READ_GOAL_MS}`, p99 < READ_GOAL_MS);
report("ingest", {
  figures: {
    ...figures,
    long: { points: LONG, seconds: Number(longSeconds.toFixed(1)) },
    reads: readFigures,
    durable: "each answer after an fsync",
    goals,
  },
  peers,
  ok: goals.every(({ ok }) => ok),
});
