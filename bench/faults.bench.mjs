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
/** Where a round kills: the trainer inside its own writes, in turn, the engine inside the weight sync that it answers. */
function insideOf(round) {
  const target = TARGETS[round % TARGETS.length];
  const turn = Math.floor(round / TARGETS.length);
  if (target === "trainer") return turn % 2 === 0 ? "checkpoint" : "weight-sync";
  return target === "engine" && turn < 2 ? "weight-sync" : null;
}

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

async function kill(target) {
  if (target === "control") {
    liverl.control.kill("SIGKILL");
    await liverl.exited;
    await sleep(500 + random() * 1_500);
    const startAgain = async () => {
      await liverl.start();
      return true;
    };
    await until(startAgain, { what: "control again", everyMs: 2_000 });
    return true;
  }
  const pid = liverl.pidOf(nameOf(target));
  if (!pid) return false;
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

/** Resolves when a file whose name fits appears in the folder: the trainer is inside that write. */
function fileAppears(directory, fits) {
  return new Promise((resolve) => {
    const watcher = watch(directory, (_, name) => {
      if (!name || !fits(name)) return;
      watcher.close();
      resolve();
    });
    setTimeout(() => {
      watcher.close();
      resolve();
    }, 600_000).unref();
  });
}

say(`run ${runId}, waiting for its first step`);
await until(() => stepNow() >= 1, { what: "the first step", timeoutMs: 1_800_000, everyMs: 500 });
const agent = new OutsideAgent();
await agent.open();

// One slot of the run for each kill, and a random moment in each slot: uniform over the run, never two at once.
const begin = stepNow();
const slot = (steps - begin - 2) / rounds;
const kills = [];
for (let round = 0; round < rounds && !isDone(); round++) {
  const target = TARGETS[round % TARGETS.length];
  const wanted = begin + slot * (round + random() * 0.8);
  await until(() => isDone() || stepNow() >= Math.floor(wanted), {
    what: `step ${wanted.toFixed(1)}`,
    timeoutMs: 1_800_000,
  });
  if (isDone()) break;
  const inside = insideOf(round);
  if (inside === "weight-sync")
    await fileAppears(join(runDir, "weights"), (name) => /^v\d+\.safetensors$/.test(name));
  else if (inside === "checkpoint")
    await fileAppears(join(runDir, "checkpoints"), (name) => /^\.global_step_\d+\.tmp$/.test(name));
  else await sleep(random() * 2_000);
  const at = stepNow();
  const done = await kill(target);
  kills.push({ round, target, step: at, inside, killed: done });
  say(
    `round ${round + 1}/${rounds}: ${target} at step ${at}${inside ? `, inside a ${inside}` : ""}${done ? "" : " (was not there)"}`,
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
await sleep(1_000);
const orphans = liverl.processes();
// The run's own calls: what the trial runner got against what the engine sampled, through all of its lives.
const audit = spawnSync(
  process.execPath,
  ["dist/audit.mjs", "--data-dir", liverl.dataDir, "--run", runId, "--json"],
  { cwd: fileURLToPath(new URL("..", import.meta.url)), encoding: "utf8", maxBuffer: 1e9 },
);
const { violations, ...audited } = JSON.parse(audit.stdout.trim().split("\n").at(-1));
const countOf = (isOne) => kills.filter((entry) => entry.killed && isOne(entry)).length;
const figures = {
  rounds: kills.length,
  killed: countOf(() => true),
  byTarget: Object.fromEntries(
    TARGETS.map((target) => [target, countOf((entry) => entry.target === target)]),
  ),
  insideWeightSync: countOf(({ inside }) => inside === "weight-sync"),
  insideCheckpoint: countOf(({ inside }) => inside === "checkpoint"),
  killSteps: kills.map((entry) => entry.step),
  outsideCallsAnswered: agent.answers.length,
  outsideCallsRefused: agent.refused,
  answeredCallsLost: lostAnswers,
  audit: { ...audited, violations: violations.length, first: violations[0] ?? null },
  points: written.length,
  pointsLost: lostPoints,
  trainersAtEnd: trainers,
  orphans: orphans.length,
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
    result.heldOutReward >= 0.9,
  figures,
  // What a run without kills reaches is the quickstart's own claim.
  peers: {},
});
