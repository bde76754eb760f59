// Kills each process in turn with SIGKILL during a run, at random moments, and counts what was lost.
// `--rounds N` (30), `--steps N` (100), `--seed N`; `--warmup D/warmup` spares the warm-up; `--keep` leaves the data. Prints one JSON object last; exit 0 only if nothing was lost.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { LiveRL, report, say, until } from "./liverl.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string" },
    steps: { type: "string" },
    warmup: { type: "string" },
    seed: { type: "string" },
    json: { type: "boolean" },
    keep: { type: "boolean" },
  },
});
const rounds = Number(values.rounds ?? 30);
const steps = Number(values.steps ?? 100);
const seed = Number(values.seed ?? 1);
const TARGETS = ["trainer", "engine", "runner", "proxy", "postgres", "control"];
const INSIDE = 3;
/** What 30 uniform moments exceed in one of twenty samples. */
const KS_LIMIT = 0.24;
/** Where a round kills: the trainer inside its own writes, in turn, the engine inside the weight sync that it answers. */
function insideOf(round) {
  const target = TARGETS[round % TARGETS.length];
  const turn = Math.floor(round / TARGETS.length);
  if (target === "trainer") return turn === 1 ? "weight-sync" : "checkpoint";
  return target === "engine" && turn < 4 ? "weight-sync" : null;
}
/** What the trainer writes in each, and the field of its event that names it once it is over. */
const WRITES = {
  "weight-sync": { folder: "weights", file: /^v(\d+)\.safetensors$/, field: "version" },
  checkpoint: { folder: "checkpoints", file: /^\.global_step_(\d+)\.tmp$/, field: "step" },
};

/** mulberry32, so that a schedule can be repeated by its seed. */
function randomOf(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
const random = randomOf(seed);

const liverl = await LiveRL.create(values);
await liverl.start();
const spec = await liverl.presetSpec("quickstart");
spec.name = "faults";
spec.seed = seed;
spec.trainer = {
  ...spec.trainer,
  total_training_steps: steps,
  stop_at_val_reward: null,
  test_freq: 10,
  save_freq: 2,
};
const { id: runId } = await liverl.launch(spec);
const runDir = join(liverl.dataDir, "runs", runId);

/** The newest step that the trainer has logged, over all of its lives: read from its files, so also while control is down. */
function loggedSteps() {
  const points = new Map();
  for (const name of readdirSync(runDir)
    .filter((file) => /^metrics-\d+\.jsonl$/.test(file))
    .sort((a, b) => Number(a.match(/\d+/)) - Number(b.match(/\d+/)))) {
    for (const line of readFileSync(join(runDir, name), "utf8").split("\n")) {
      let row;
      try {
        row = JSON.parse(line);
      } catch {
        continue; // a line that a kill cut
      }
      for (const [key, value] of Object.entries(row.data)) points.set(`${key}\0${row.step}`, value);
    }
  }
  return points;
}
const stepNow = () =>
  Math.max(
    0,
    ...[...loggedSteps().keys()]
      .filter((key) => key.startsWith("training/global_step\0"))
      .map((key) => Number(key.split("\0")[1])),
  );
const isDone = () => existsSync(join(runDir, "result.json"));

/** An agent from outside that keeps talking through everything, and remembers every answer that it got. */
class OutsideAgent {
  answers = [];
  refused = 0;
  #stopped = false;

  async open() {
    this.session = await until(() => liverl.post("/api/v1/sessions", { runId }), {
      what: "a session",
    });
    this.talking = this.#talk();
  }

  async #talk() {
    while (!this.#stopped) {
      try {
        const answer = await fetch(`${this.session.baseUrl}/chat/completions`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${this.session.apiKey}`,
            "content-type": "application/json",
          },
          body: JSON.stringify({
            model: "any",
            max_tokens: 8,
            messages: [{ role: "user", content: `Call ${this.answers.length}` }],
          }),
          signal: AbortSignal.timeout(60_000),
        });
        const body = await answer.json();
        if (answer.status === 200)
          this.answers.push({ id: body.id, content: body.choices[0].message.content });
        else this.refused++;
      } catch {
        this.refused++;
      }
      await sleep(300);
    }
  }

  /** Answers that the recorded trajectory does not hold, word for word, under their call. */
  async lost() {
    this.#stopped = true;
    await this.talking;
    const { path } = await until(
      () => liverl.post(`/api/v1/sessions/${this.session.sessionId}/complete`),
      { what: "the session's end" },
    );
    const { calls, nodes } = JSON.parse(readFileSync(path, "utf8"));
    const callOf = new Map(
      calls.map((call) => [`chatcmpl-${this.session.sessionId}-${call.id}`, call]),
    );
    const nodeOf = new Map(nodes.map((node) => [node.id, node]));
    return this.answers.filter(({ id, content }) => {
      const held = nodeOf.get(callOf.get(id)?.sampledNodeId)?.message.content ?? null;
      return !callOf.has(id) || held !== content;
    }).length;
  }
}

const nameOf = (target) =>
  ({ trainer: `${runId}.trainer`, engine: `${runId}.engine-0` })[target] ?? target;

/** Steps that the run made while each was away: the data plane does not wait for them. */
const stepsWithout = { control: 0, postgres: 0 };

async function killControl() {
  liverl.control.kill("SIGKILL");
  await liverl.exited;
  const before = stepNow();
  await sleep(1_500 + random() * 1_500);
  stepsWithout.control += stepNow() - before;
  const startAgain = async () => {
    await liverl.start();
    return true;
  };
  await until(startAgain, { what: "control again", everyMs: 2_000 });
}

/** Waits until control answers from the database again. */
async function untilDatabase() {
  const before = stepNow();
  await until(() => liverl.query("run.get", { id: runId }), { what: "the database again" });
  stepsWithout.postgres += stepNow() - before;
}

function kill(target) {
  const pid = liverl.pidOf(nameOf(target));
  if (!pid) return false;
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

/** Resolves to the number of the next such write when its file appears: the trainer is inside it. */
function nextWrite({ folder, file }) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no ${folder} were written`)), 600_000);
    const watcher = watch(join(runDir, folder), (_, name) => {
      const number = file.exec(name ?? "")?.[1];
      if (number === undefined) return;
      watcher.close();
      clearTimeout(late);
      resolve(Number(number));
    });
  });
}

/** The events of the trainer's present life. */
function eventsFile() {
  const lives = readdirSync(runDir).flatMap(
    (name) => /^events-(\d+)\.jsonl$/.exec(name)?.[1] ?? [],
  );
  return join(runDir, `events-${Math.max(...lives.map(Number))}.jsonl`);
}

/** Kills inside a write; false when the write was over first, as its event then says. */
async function killInside(kind, target) {
  const { field } = WRITES[kind];
  const events = eventsFile();
  const number = await nextWrite(WRITES[kind]);
  const killed = kill(target);
  await sleep(200);
  const isOver = readFileSync(events, "utf8")
    .split("\n")
    .some((line) => line.includes(`"kind":"${kind}"`) && JSON.parse(line)[field] === number);
  return { killed, inside: isOver ? null : kind };
}

say(`run ${runId}, waiting for its first step`);
await until(() => stepNow() >= 1, { what: "the first step", timeoutMs: 1_800_000, everyMs: 500 });
const agent = new OutsideAgent();
await agent.open();

// One slot of the run for each kill, and a random moment in each slot: uniform over the run, never two at once.
const begin = stepNow();
const slot = (steps - begin - 2) / rounds;
const kills = [];
const everSeen = new Map();
for (let round = 0; round < rounds && !isDone(); round++) {
  const target = TARGETS[round % TARGETS.length];
  const wanted = begin + slot * (round + random() * 0.8);
  await until(() => isDone() || stepNow() >= Math.floor(wanted), {
    what: `step ${wanted.toFixed(1)}`,
    timeoutMs: 1_800_000,
  });
  if (isDone()) break;
  for (const { id, argv } of liverl.processes()) everSeen.set(id, argv.join(" "));
  const wish = insideOf(round);
  if (wish === null) await sleep(random() * 2_000);
  const at = stepNow();
  let outcome = { killed: true, inside: null };
  if (wish !== null) outcome = await killInside(wish, target);
  else if (target === "control") await killControl();
  else outcome.killed = kill(target);
  if (target === "postgres") await untilDatabase();
  kills.push({ round, target, step: at, ...outcome });
  const where = outcome.inside ? `, inside a ${outcome.inside}` : "";
  say(
    `round ${round + 1}/${rounds}: ${target} at step ${at}${where}${outcome.killed ? "" : " (was not there)"}`,
  );
}

await until(isDone, { what: "the end of the run", timeoutMs: 3_600_000, everyMs: 500 });
const result = JSON.parse(readFileSync(join(runDir, "result.json"), "utf8"));
await until(async () => (await liverl.query("run.get", { id: runId })).status === "succeeded", {
  what: "status succeeded",
  timeoutMs: 120_000,
});
const lostAnswers = await agent.lost();

// Every point of the files against what the API answers, one bucket a step.
const written = [...loggedSteps()];
const lostPoints = await until(
  async () => {
    const keys = [...new Set(written.map(([at]) => at.split("\0")[0]))];
    const held = new Map();
    for (let i = 0; i < keys.length; i += 64) {
      const { series, bucketSteps } = await liverl.query("metric.series", {
        runId,
        keys: keys.slice(i, i + 64),
        buckets: 4000,
      });
      if (bucketSteps !== 1) throw new Error("buckets are wider than a step");
      for (const { key, step, value } of series)
        for (const [k, s] of step.entries()) held.set(`${key}\0${s}`, value[k]);
    }
    const missing = written.filter(
      ([at, value]) =>
        !(
          held.has(at) &&
          (held.get(at) === value || Math.abs(held.get(at) - value) <= 1e-12 * Math.abs(value))
        ),
    );
    return missing.length === 0
      ? []
      : Promise.reject(new Error(`${missing.length} points differ, ${JSON.stringify(missing[0])}`));
  },
  { what: "all points", timeoutMs: 60_000, everyMs: 1_000 },
).then(
  () => 0,
  (error) => Number(/(\d+) points/.exec(error.message)?.[1] ?? -1),
);

const trainers = liverl
  .processes()
  .filter(({ argv }) => argv.some((word) => word.endsWith("trainer.mjs"))).length;
await liverl.stop();
const isAlive = (id) => {
  try {
    const stat = readFileSync(`/proc/${id.split("@")[0]}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] !== "Z" && id.endsWith(`@${fields[19]}`);
  } catch {
    return false;
  }
};
/** Those that name the directory, and those that were ever seen: a worker names nothing, and its parent may be gone. */
const findOrphans = () => [
  ...liverl.processes().map(({ argv }) => argv.join(" ")),
  ...[...everSeen].filter(([id]) => isAlive(id)).map(([, words]) => words),
];
// What ends with its parent's pipe may take a moment.
for (let waits = 0; waits < 20 && findOrphans().length > 0; waits++) await sleep(100);
const orphans = findOrphans();
// The run's own calls: what the trial runner got against what the engine sampled, through all of its lives.
const audit = spawnSync(
  process.execPath,
  ["dist/audit.mjs", "--data-dir", liverl.dataDir, "--run", runId, "--json"],
  { cwd: fileURLToPath(new URL("..", import.meta.url)), encoding: "utf8", maxBuffer: 1e9 },
);
const { violations, ...audited } = JSON.parse(audit.stdout.trim().split("\n").at(-1));
const countOf = (isOne) => kills.filter((entry) => entry.killed && isOne(entry)).length;
function distanceFromUniform(shares) {
  const sorted = [...shares].sort((a, b) => a - b);
  return Math.max(
    0,
    ...sorted.map((share, i) =>
      Math.max(share - i / sorted.length, (i + 1) / sorted.length - share),
    ),
  );
}
const figures = {
  rounds: kills.length,
  killed: countOf(() => true),
  byTarget: Object.fromEntries(
    TARGETS.map((target) => [target, countOf((entry) => entry.target === target)]),
  ),
  insideWeightSync: countOf(({ inside }) => inside === "weight-sync"),
  insideCheckpoint: countOf(({ inside }) => inside === "checkpoint"),
  killSteps: kills.map((entry) => entry.step),
  /** Kolmogorov–Smirnov distance of the kill times from uniform ones over the run. */
  killTimesFromUniform: distanceFromUniform(
    kills.map(({ step }) => (step - begin) / (steps - begin)),
  ),
  stepsWithout,
  outsideCallsAnswered: agent.answers.length,
  outsideCallsRefused: agent.refused,
  answeredCallsLost: lostAnswers,
  audit: { ...audited, violations: violations.length, first: violations[0] ?? null },
  points: written.length,
  pointsLost: lostPoints,
  trainersAtEnd: trainers,
  orphans: orphans.length,
  orphanNames: orphans,
  heldOutBefore: result.heldOutBefore,
  heldOutReward: result.heldOutReward,
  steps: result.steps,
};
if (!values.keep) liverl.remove();
else say(`kept ${liverl.dataDir}`);
report("faults", {
  ok:
    agent.answers.length > 0 &&
    lostAnswers === 0 &&
    audit.status === 0 &&
    (rounds < 30 || (figures.insideWeightSync >= INSIDE && figures.insideCheckpoint >= INSIDE)) &&
    lostPoints === 0 &&
    orphans.length === 0 &&
    figures.killed === rounds &&
    figures.killTimesFromUniform < KS_LIMIT &&
    (rounds < 30 || (stepsWithout.control > 0 && stepsWithout.postgres > 0)) &&
    result.heldOutReward >= 0.9,
  figures,
  // What a run without kills reaches is the quickstart's own claim.
  peers: {},
});
