// Learns the quickstart's task by each algorithm in each mode of the embedded trainer, through the whole product: GRPO, PPO and
// GSPO, sync and fully_async. A run holds when its held-out reward is at least 0.9; when, apart from the engines, no token trained
// that was older than the staleness bound and some rollouts went over a weight sync; and when a trainer that was ended by
// SIGKILL went on from exactly what it had saved, and the updates since then give the same weights when they are done
// again on the recorded rollouts. `--seeds 1,2`, `--only ID,ID`, `--warmup D/warmup` spares the warm-up, `--keep` leaves
// the data. Prints one JSON object last; exit 0 only if every run holds.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { LiveRL, report, say, until } from "./liverl.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    only: { type: "string" },
    warmup: { type: "string" },
    json: { type: "boolean" },
    keep: { type: "boolean" },
  },
});
const PRESETS = ["quickstart", "ppo", "gspo", "grpo-async", "ppo-async", "gspo-async"];
const chosen = values.only?.split(",") ?? PRESETS;
const seeds = (values.seeds ?? "1").split(",").map(Number);
const GOAL = 0.9;
/** The trainer is ended once, when it has logged this step: after the first checkpoint and between two. */
const KILL_AT = 7;
const SAVE_EVERY = 5;
const RUN_MS = 40 * 60_000;

const lines = (path) =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .flatMap((line) => {
          try {
            return [JSON.parse(line)];
          } catch {
            return []; // the end, or a line that a kill cut
          }
        })
    : [];

/** All lines of a run's files of a kind, life by life. */
function linesOfLives(runDir, kind) {
  return readdirSync(runDir)
    .filter((name) => new RegExp(`^${kind}-\\d+\\.jsonl$`).test(name))
    .sort((a, b) => Number(a.match(/\d+/)) - Number(b.match(/\d+/)))
    .flatMap((name) => lines(join(runDir, name)));
}

/** Key → the values that were logged last of each step. */
function series(runDir, key) {
  const byStep = new Map();
  for (const { step, data } of linesOfLives(runDir, "metrics"))
    if (typeof data[key] === "number") byStep.set(step, data[key]);
  return [...byStep.values()];
}
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const mean = (numbers) => (numbers.length === 0 ? null : sum(numbers) / numbers.length);
const rounded = (number) => (number === null ? null : Math.round(number * 1e4) / 1e4);

async function runOf(liverl, preset, seed) {
  const spec = await liverl.presetSpec(preset);
  Object.assign(spec, { seed, name: `learn-${preset}-${seed}` });
  spec.trainer.save_freq = SAVE_EVERY;
  const { id } = await liverl.launch(spec);
  const runDir = join(liverl.dataDir, "runs", id);
  const stepNow = () =>
    existsSync(runDir) ? Math.max(0, ...series(runDir, "training/global_step")) : 0;
  const wait = { timeoutMs: RUN_MS, everyMs: 250 };
  await until(() => stepNow() >= KILL_AT, { what: `step ${KILL_AT} of ${id}`, ...wait });
  const killedAt = stepNow();
  process.kill(liverl.pidOf(`${id}.trainer`), "SIGKILL");
  const detail = await until(
    async () => {
      const found = await liverl.query("run.get", { id });
      return ["succeeded", "stopped", "failed", "cancelled"].includes(found.status) && found;
    },
    { what: `the end of ${id}`, ...wait },
  );
  if (detail.status !== "succeeded") throw new Error(`${id} ${detail.status}: ${detail.reason}`);
  return { id, runDir, spec, killedAt };
}

/** State after a load against the state that was saved, and the updates since then done again on what they took. */
async function exactness(liverl, { runDir }) {
  const events = linesOfLives(runDir, "events");
  const resumed = events.filter(({ kind }) => kind === "resume").at(-1);
  const checkpoints = events.filter(({ kind }) => kind === "checkpoint");
  const saved = checkpoints.find(
    ({ step, attempt }) => step === resumed?.step && attempt < resumed.attempt,
  );
  const last = checkpoints.at(-1);
  const updates = linesOfLives(runDir, "updates").filter(
    ({ attempt, step }) => attempt === resumed?.attempt && step <= last.step,
  );
  const replay = await replayed(liverl, runDir, resumed.step, last.step, updates);
  return {
    resumedFrom: resumed.step,
    sameState: saved !== undefined && saved.stateSha256 === resumed.stateSha256,
    replayedUpdates: replay.updates,
    sameWeights: replay.updates > 0 && replay.replayed === replay.saved,
  };
}

/** What the runner knows of every rollout, by id. */
async function trialsOf(runner) {
  const trials = new Map();
  for (let cursor = 0; ; ) {
    const feed = await runner.get(`/api/v1/trials?after=${cursor}&limit=1000`);
    for (const change of feed.changes) trials.set(change.rolloutId, change);
    if (feed.changes.length === 0) return trials;
    cursor = feed.cursor;
  }
}

function runnerOf({ dataDir }) {
  const url = `http://127.0.0.1:${readFileSync(join(dataDir, "runner/port"), "utf8").trim()}`;
  const token = readFileSync(join(dataDir, "runner/admin.token"), "utf8").trim();
  const ask = async (path, init) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(url + path, { ...init, headers });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return {
    get: (path) => ask(path),
    post: (path, body) => ask(path, { method: "POST", body: JSON.stringify(body) }),
  };
}

/** Asks the runner for the rollouts that it has already, and lets the updates be done again on them. */
async function replayed(liverl, runDir, from, to, updates) {
  const runner = runnerOf(liverl);
  const trials = await trialsOf(runner);
  const { spec, runId } = JSON.parse(readFileSync(join(runDir, "plan.json"), "utf8"));
  const { temperature, max_tokens } = spec.rollout;
  const resultOf = (rolloutId) => {
    const { groupId, taskId: taskRef, mode, step } = trials.get(rolloutId);
    const sampling = { temperature, max_tokens };
    return runner.post("/api/v1/rollouts?wait=25", {
      ...{ rolloutId, runId, groupId, taskRef, mode, step, sampling },
    });
  };
  const argv = ["--run-dir", runDir, "--from", String(from), "--to", String(to)];
  const child = spawn(process.execPath, ["dist/replay-updates.mjs", ...argv], {
    cwd: root,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (bytes) => {
    said += bytes;
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  for (const { step, isSynced, groups } of updates) {
    const results = await Promise.all(groups.map((group) => Promise.all(group.map(resultOf))));
    child.stdin.write(`${JSON.stringify({ step, isSynced, groups: results })}\n`);
  }
  child.stdin.end();
  await ended;
  return JSON.parse(said);
}

function asyncFigures({ runDir, spec }) {
  if (spec.algorithm.trainer_mode === "sync") return { ok: true };
  const of = (key) => series(runDir, key);
  const staleness = Math.max(...of("training/off_policy/trajectory_staleness_worst/max"));
  const bound = Math.ceil(spec.async.staleness_threshold);
  const partialRatio = mean(of("fully_async/partial/partial_ratio"));
  return {
    ok: staleness <= bound && partialRatio > 0,
    stalenessMax: staleness,
    stalenessBound: bound,
    partialRatio: rounded(partialRatio),
    partials: sum(of("fully_async/partial/total_partial_num")),
    staleTrajectories: of("fully_async/count/stale_trajectory_processed").at(-1),
    droppedStaleSamples: of("fully_async/count/dropped_stale_samples").at(-1),
    trainerIdle: rounded(mean(of("fully_async/trainer/idle_ratio"))),
    rollouterIdle: rounded(mean(of("fully_async/rollouter/idle_ratio"))),
  };
}

async function figuresOf(liverl, preset, seed) {
  const run = await runOf(liverl, preset, seed);
  const result = JSON.parse(readFileSync(join(run.runDir, "result.json"), "utf8"));
  const exact = await exactness(liverl, run);
  const { ok: isBounded, ...apart } = asyncFigures(run);
  const explained = series(run.runDir, "critic/vf_explained_var");
  return {
    ok: result.heldOutReward >= GOAL && isBounded && exact.sameState && exact.sameWeights,
    ...{ preset, seed, runId: run.id, killedAt: run.killedAt },
    heldOutBefore: rounded(result.heldOutBefore),
    heldOutReward: rounded(result.heldOutReward),
    steps: result.steps,
    trainSeconds: Math.round(result.trainSeconds),
    maxLogprobDiff: result.maxLogprobDiff,
    ...exact,
    ...apart,
    ...(explained.length > 0 && { vfExplainedVarLast: rounded(explained.at(-1)) }),
  };
}

const liverl = await LiveRL.create(values);
await liverl.start();
const runs = [];
for (const seed of seeds)
  for (const preset of chosen) {
    const figures = await figuresOf(liverl, preset, seed).catch((error) => ({
      ...{ ok: false, preset, seed, error: error.message },
    }));
    runs.push(figures);
    say(JSON.stringify(figures));
  }
await liverl.stop();
if (values.keep) say(`data: ${liverl.dataDir}`);
else liverl.remove();
const held = runs.filter(({ ok }) => ok).length;
report("learn", {
  ok: held === runs.length,
  figures: { held, of: runs.length, runs },
  peers: null,
});
