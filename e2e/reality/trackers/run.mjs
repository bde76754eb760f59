// Unmodified clients of MLflow, W&B and TensorBoard log into a started LiveRL, and every point is read back: `npm run e2e:reality --
// trackers [--only=TEXT]`; TEXT is part of a claim's name. In a second round control is killed (SIGKILL) while they log, several times.
//   TRACKERS_DIR  where the virtual environment goes (about 700 MB; default .cache/reality-trackers)
//   PYTHON        its interpreter, 3.10 or newer
// Prints one JSON object last. Exit code 0 when all claims hold, or when PyPI or Python is not there, which it says.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { LiveRL, until } from "../../../bench/liverl.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const suite = fileURLToPath(new URL(".", import.meta.url));
const directory = resolve(process.env.TRACKERS_DIR ?? join(root, ".cache/reality-trackers"));
const only = process.argv.find((word) => word.startsWith("--only="))?.slice(7) ?? null;
const STEPS = 5000;
const KEYS = 20;
const KILLS = 3;
const CLIENT_MS = 400_000;
const say = (line) => process.stderr.write(`${line}\n`);

function report(value) {
  process.stdout.write(`${JSON.stringify({ name: "trackers", ...value })}\n`);
}

function skip(reason) {
  say(`SKIPPED: no real tracking client was run. ${reason}`);
  report({ ok: false, skipped: reason });
  process.exit(0);
}

/** Python 3.10 to 3.12, which all of the clients install on; `PYTHON` wins. */
function findPython() {
  const pyenv = join(homedir(), ".pyenv/versions");
  const versions = existsSync(pyenv) ? readdirSync(pyenv) : [];
  const candidates = [
    process.env.PYTHON,
    ...["python3.12", "python3.11"],
    ...versions
      .filter((name) => /^3\.1[12]/.test(name))
      .map((name) => join(pyenv, name, "bin/python3")),
    "python3",
  ].filter(Boolean);
  const isRight = "import sys, venv; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 12))";
  return candidates.find((python) => spawnSync(python, ["-c", isRight]).status === 0) ?? null;
}

/** Makes the environment once for each list of versions. */
function setUpPython() {
  const requirements = join(suite, "requirements.txt");
  const digest = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const venv = join(directory, `venv-${digest}`);
  const python = join(venv, "bin/python");
  if (existsSync(join(venv, ".ready"))) return python;
  const interpreter = findPython();
  if (!interpreter) skip("Python 3.10 to 3.12 is not here (PYTHON names it).");
  say(`Installing mlflow, wandb and tensorboardX in ${venv}`);
  rmSync(venv, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const steps = [
    [interpreter, ["-m", "venv", venv]],
    [python, ["-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", requirements]],
  ];
  for (const [command, args] of steps) {
    const { status } = spawnSync(command, args, { stdio: ["ignore", "ignore", "inherit"] });
    if (status !== 0)
      skip(`Its packages could not be installed (${command} ended with ${status}).`);
  }
  writeFileSync(join(venv, ".ready"), "");
  return python;
}

const python = setUpPython();
const built = spawnSync(
  process.execPath,
  ["scripts/build.mjs", "--only=control,ingest-worker,runner,proxy,agent-worker,code-worker"],
  { cwd: root, stdio: ["ignore", "ignore", "inherit"] },
);
if (built.status !== 0) process.exit(1);
const live = await LiveRL.create();
await live.start();
const token = readFileSync(join(live.dataDir, "ingest.token"), "utf8").trim();
const work = mkdtempSync(join(tmpdir(), "liverl-trackers-"));

/** Runs a client to its end; answers with the JSON of its last line. */
function client(program, args, { whileItRuns } = {}) {
  const child = spawn(python, [join(suite, program), ...args.map(String)], {
    cwd: work,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      MLFLOW_TRACKING_URI: live.url,
      MLFLOW_TRACKING_TOKEN: token,
      MLFLOW_DISABLE_TELEMETRY: "true",
      WANDB_BASE_URL: live.url,
      WANDB_API_KEY: token,
      WANDB_ERROR_REPORTING: "false",
      WANDB__FILE_STREAM_TRANSMIT_INTERVAL: "1",
      WANDB_SILENT: "true",
    },
  });
  const late = setTimeout(() => child.kill("SIGKILL"), CLIENT_MS);
  let out = "";
  let said = "";
  child.stdout.on("data", (bytes) => {
    out += bytes;
  });
  child.stderr.on("data", (bytes) => {
    said = (said + bytes).slice(-3000);
  });
  const ended = new Promise((settle, reject) => {
    child.once("exit", (code, signal) => {
      clearTimeout(late);
      const last = out
        .trim()
        .split("\n")
        .findLast((line) => line.startsWith("{"));
      if (code === 0) settle(last ? JSON.parse(last) : null);
      else
        reject(new Error(`${program} ended with ${code ?? signal}: ${said || out.slice(-2000)}`));
    });
  });
  return Promise.all([ended, whileItRuns?.(() => child.exitCode !== null)]).then(([said]) => said);
}

/** Every point of the run, once, with its value. */
async function compare(runId, steps) {
  let points = 0;
  await until(
    async () => {
      const { keys } = await live.query("metric.keys", { runId });
      const ours = keys.filter(({ key }) => key.startsWith("metric/"));
      points = ours.reduce((sum, key) => sum + key.points, 0);
      return ours.length === KEYS && points >= steps * KEYS;
    },
    { what: `${steps * KEYS} points of ${runId}`, timeoutMs: 60_000 },
  );
  if (points !== steps * KEYS) throw new Error(`${points} points instead of ${steps * KEYS}`);
  for (let k = 0; k < KEYS; k++)
    for (let from = 0; from < steps; from += 2000) {
      const to = Math.min(steps, from + 2000) - 1;
      const { series } = await live.query("metric.series", {
        ...{ runId, keys: [`metric/${k}`], range: [from, to], buckets: 4000 },
      });
      const [{ step, value, n }] = series;
      for (let i = 0; i <= to - from; i++)
        if (step[i] !== from + i || value[i] !== (from + i) * 0.5 + k || n[i] !== 1)
          throw new Error(
            `metric/${k} at ${from + i}: step ${step[i]}, value ${value[i]}, n ${n[i]}`,
          );
      if (step.length !== to - from + 1) throw new Error(`${step.length} buckets from ${from} on`);
    }
  const { series } = await live.query("metric.series", { runId, keys: ["last"] });
  if (series[0]?.flag.at(-1) !== 1) throw new Error("the NaN is not there");
}

async function newestRun(source) {
  const { runs } = await live.query("run.list", {});
  return runs
    .filter((run) => run.source === source)
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))[0];
}

/** Kills control again and again while a client logs: each time once more points have come. */
function killing(source, deaths) {
  return async (isOver) => {
    for (let n = 1; n <= KILLS && !isOver(); n++) {
      const wanted = (n / (KILLS + 1)) * STEPS;
      while (!isOver()) {
        const run = await newestRun(source).catch(() => null);
        const fresh = run && run.status === "running" && run.step >= wanted;
        if (fresh) break;
        await sleep(100);
      }
      if (isOver()) return;
      live.control.kill("SIGKILL");
      await live.exited;
      deaths.count++;
      await sleep(500);
      await live.start();
    }
  };
}

async function ended(id, wanted) {
  const run = await live.query("run.get", { id });
  for (const [key, value] of Object.entries(wanted))
    if (JSON.stringify(run[key]) !== JSON.stringify(value))
      throw new Error(`${key} is ${JSON.stringify(run[key])} instead of ${JSON.stringify(value)}`);
}

const claims = [];
async function claim(name, prove) {
  if (only !== null && !name.includes(only)) return;
  const began = performance.now();
  const entry = { name, ok: true };
  try {
    Object.assign(entry, await prove());
  } catch (error) {
    Object.assign(entry, { ok: false, why: error.message.slice(0, 2500) });
  }
  entry.seconds = Math.round((performance.now() - began) / 100) / 10;
  claims.push(entry);
  say(`${entry.ok ? "✓" : "✗"} ${JSON.stringify(entry)}`);
}

const MLFLOW = {
  project: "trackers-suite",
  name: "mlflow-run",
  source: "mlflow",
  tags: ["kind=suite"],
};
const WANDB = { project: "trackers-suite", name: "wandb-run", source: "wandb", tags: ["suite"] };

await claim(
  `mlflow: ${STEPS * KEYS} points, params, tags, an artifact, and all read back by the client`,
  async () => {
    const { seconds } = await client("log_mlflow.py", [STEPS, KEYS]);
    const { id } = await newestRun("mlflow");
    await compare(id, STEPS);
    await ended(id, { ...MLFLOW, status: "succeeded", configYaml: 'lr: "1e-06"\nbatch: "20"\n' });
    return { clientSeconds: seconds };
  },
);
await claim("mlflow: a run that ended goes on", async () => {
  const { runId } = await client("log_mlflow.py", [100, KEYS]);
  await client("log_mlflow.py", [100, KEYS, runId]);
  await compare((await newestRun("mlflow")).id, 200);
});
await claim(`wandb: ${STEPS * KEYS} points, config, console, a table`, async () => {
  const { seconds } = await client("log_wandb.py", ["suite-1", STEPS, KEYS]);
  const { id } = await newestRun("wandb");
  await compare(id, STEPS);
  await ended(id, { ...WANDB, status: "succeeded" });
  const { configYaml } = await live.query("run.get", { id });
  for (const line of ["late: 1", "name: tiny", "lr: "])
    if (!configYaml.includes(line)) throw new Error(`the configuration has no ${line}`);
  const log = readFileSync(join(live.dataDir, "runs", id, "logs/output.log"), "utf8");
  if (!log.includes("step 4500")) throw new Error("the console is not there");
  const files = readdirSync(join(live.dataDir, "runs", id), { recursive: true });
  for (const name of ["config.yaml", "wandb-metadata.json", "table.table.json"])
    if (!files.some((file) => file.endsWith(name))) throw new Error(`${name} was not uploaded`);
  return { clientSeconds: seconds };
});
await claim("wandb: a run that ended is resumed at its next step", async () => {
  await client("log_wandb.py", ["suite-2", 100, KEYS]);
  const { first } = await client("log_wandb.py", ["suite-2", 100, KEYS, "resume"]);
  if (first !== 101) throw new Error(`resumed at ${first} instead of 101`);
  const { id } = await newestRun("wandb");
  await until(
    async () => {
      const { keys } = await live.query("metric.keys", { runId: id });
      return keys.find(({ key }) => key === "metric/0")?.points === 200;
    },
    { what: "200 points", timeoutMs: 30_000 },
  );
});
await claim(
  `tensorboard: ${STEPS * KEYS} points of a folder that is attached while it is written`,
  async () => {
    const folder = join(work, "events");
    const writing = client("log_tensorboard.py", [folder, STEPS, KEYS]);
    const hasFiles = () => existsSync(folder) && readdirSync(folder).length > 0;
    await until(hasFiles, { what: "an event file", everyMs: 50 });
    const wish = { project: "trackers-suite", name: "tb", source: "tensorboard", path: folder };
    const { id } = await live.mutate("run.attach", wish);
    await writing;
    await compare(id, STEPS);
    await live.mutate("run.stop", { id, when: "now" });
  },
);
await claim(`mlflow: ${STEPS * KEYS} points, control killed meanwhile`, async () => {
  const deaths = { count: 0 };
  await client("log_mlflow.py", [STEPS, KEYS], { whileItRuns: killing("mlflow", deaths) });
  const { id } = await newestRun("mlflow");
  await compare(id, STEPS);
  await ended(id, { ...MLFLOW, status: "succeeded" });
  if (deaths.count === 0) throw new Error("the client was over before control was killed");
  return { kills: deaths.count };
});
await claim(`wandb: ${STEPS * KEYS} points, control killed meanwhile`, async () => {
  const deaths = { count: 0 };
  await client("log_wandb.py", ["suite-3", STEPS, KEYS, "slow"], {
    whileItRuns: killing("wandb", deaths),
  });
  const { id } = await newestRun("wandb");
  await compare(id, STEPS);
  await ended(id, { ...WANDB, status: "succeeded" });
  if (deaths.count === 0) throw new Error("the client was over before control was killed");
  return { kills: deaths.count };
});

await live.stop();
live.remove();
rmSync(work, { recursive: true, force: true });
const ok = claims.length > 0 && claims.every((one) => one.ok);
report({ ok, claims });
process.exit(ok ? 0 : 1);
