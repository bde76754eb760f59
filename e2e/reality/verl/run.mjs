// Real verl from the package index on this machine's CPU, launched as the form does, in each of its six trainers, with agents that talk HTTP
// to session URLs: `npm run e2e:reality -- verl [--modes=a,b] [--claims=modes,failures,kill,ray,browser,checkpoints,local] [--keep]`.
//   VERL_DIR   where setup.sh puts verl (2.4 GB; default .liverl/reality/verl)
// The last line of stdout is one JSON object; exit 0 only when every claim holds.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { LiveRL, until } from "../../../bench/liverl.mjs";
import { RayHead } from "../ray/head.mjs";
import { launchInBrowser } from "./browser.mjs";
import { checkCheckpoints } from "./checkpoints.mjs";
import { startFaultyRunner } from "./faulty-runner.mjs";
import { judgeTokens, missingMetrics } from "./judge.mjs";
import { judgeLocalProxy, proxiesEnd, proxiesOf } from "./judge-local-proxy.mjs";
import { MODES, specOf } from "./spec.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));
const { values } = parseArgs({
  options: {
    modes: { type: "string", default: MODES.join(",") },
    claims: { type: "string", default: "modes,failures,kill,ray,browser,checkpoints,local" },
    keep: { type: "boolean", default: false },
  },
});
const modes = values.modes.split(",");
const claims = values.claims.split(",");
const directory = resolve(process.env.VERL_DIR ?? join(root, ".liverl/reality/verl"));
const STEPS = 2;
const KILL_STEPS = 12;
const KILL_MS = 60_000;
const RUN_MS = 900_000;
const ENDED = ["succeeded", "stopped", "failed", "cancelled"];
const SINGLE_OUTPUT = ["v0", "one_step_off", "fully_async"];
const say = (line) => process.stderr.write(`${line}\n`);
const report = (value) => process.stdout.write(`${JSON.stringify({ name: "verl", ...value })}\n`);

function skip(reason) {
  say(`SKIPPED: no real verl was run. ${reason}`);
  report({ ok: false, skipped: reason });
  process.exit(0);
}

function setUp() {
  const build = spawnSync(process.execPath, ["scripts/build.mjs"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (build.status !== 0) process.exit(1);
  mkdirSync(directory, { recursive: true });
  const model = join(directory, "embedded-model");
  spawnSync(process.execPath, ["dist/model.mjs", "--out", model], { cwd: root });
  say(`Setting verl up in ${directory} (minutes, the first time)`);
  const done = spawnSync("bash", [join(here, "setup.sh"), directory, model], { encoding: "utf8" });
  if (done.status !== 0) skip(`${done.stderr.trim().split("\n").at(-1)}`);
  say(done.stdout.trim());
}

setUp();
const scratch = mkdtempSync(join(tmpdir(), "liverl-verl-"));
const liverl = await LiveRL.create();
await liverl.start();

async function launch(mode, what, options) {
  const name = `${what}-${mode.replaceAll("_", "-")}`;
  const spyDir = join(scratch, name);
  const { id } = await liverl.launch(specOf(mode, { directory, name, spyDir, ...options }));
  return { id, spyDir, began: Date.now() };
}

const ended = (id) =>
  until(
    async () => {
      const run = await liverl.query("run.get", { id });
      return ENDED.includes(run.status) ? run : null;
    },
    { what: `the end of ${id}`, timeoutMs: RUN_MS, everyMs: 1_000 },
  );

const seconds = (began) => Math.round((Date.now() - began) / 100) / 10;

async function checkMode(mode) {
  const { id, spyDir, began } = await launch(mode, "mode", { steps: STEPS });
  const run = await ended(id);
  const tokens = judgeTokens(spyDir);
  const keys = (await liverl.query("metric.keys", { runId: id })).keys.map(({ key }) => key);
  const missing = missingMetrics(mode, keys);
  const rollouts = run.counts.rollouts;
  const ok = [
    run.status === "succeeded",
    run.step === STEPS,
    tokens.faults.length === 0,
    tokens.trained > 0,
    tokens.standIns === 0,
    missing.length === 0,
  ].every(Boolean);
  return {
    claim: "mode",
    mode,
    ok,
    status: run.status,
    reason: run.statusReason,
    seconds: seconds(began),
    rollouts,
    ...tokens,
    metrics: keys.length,
    missing,
  };
}

/** One member of every second group fails for good. */
async function checkFailures(mode) {
  const runnerPort = readFileSync(join(liverl.dataDir, "runner/port"), "utf8").trim();
  const seen = new Map();
  const runner = await startFaultyRunner(`http://127.0.0.1:${runnerPort}`, (request) => {
    if (request.mode !== "train") return false;
    const group = seen.get(request.groupId) ?? { order: seen.size, first: request.rolloutId };
    seen.set(request.groupId, group);
    return group.order % 2 === 1 && group.first === request.rolloutId;
  });
  try {
    const { id, spyDir, began } = await launch(mode, "failures", {
      steps: STEPS,
      env: { LIVERL_RUNNER_URL: runner.url },
    });
    const run = await ended(id);
    const tokens = judgeTokens(spyDir);
    const standsIn = SINGLE_OUTPUT.includes(mode);
    const ok = [
      run.status === "succeeded",
      run.step === STEPS,
      runner.failed.size > 0,
      tokens.faults.length === 0,
      tokens.standInsTrain === 0,
      // Every failed rollout is stood in for, or its session is dropped: never both, never neither.
      tokens.standIns === (standsIn ? runner.failed.size : 0),
    ].every(Boolean);
    return {
      claim: "failures",
      mode,
      ok,
      status: run.status,
      reason: run.statusReason,
      seconds: seconds(began),
      failed: runner.failed.size,
      ...tokens,
    };
  } finally {
    runner.stop();
  }
}

async function checkKill(mode) {
  const { id, spyDir, began } = await launch(mode, "kill", {
    steps: KILL_STEPS,
    secondsPerToken: 0.02,
  });
  await until(async () => (await liverl.query("run.get", { id })).status === "running", {
    what: `${id} running`,
    timeoutMs: RUN_MS,
    everyMs: 500,
  });
  liverl.control.kill("SIGKILL");
  await liverl.exited;
  await sleep(KILL_MS);
  await liverl.start();
  const run = await ended(id);
  const tokens = judgeTokens(spyDir);
  const { total: failed } = await liverl.query("rollout.list", { runId: id, f: "status = failed" });
  const ok =
    run.status === "succeeded" &&
    run.step === KILL_STEPS &&
    tokens.faults.length === 0 &&
    tokens.standIns === 0 &&
    failed === 0;
  return {
    claim: "kill",
    mode,
    ok,
    status: run.status,
    reason: run.statusReason,
    seconds: seconds(began),
    failedRollouts: failed,
    ...tokens,
  };
}

/** As a job of a Ray cluster that stands already, and asks for a token; and a config that verl refuses there. */
async function checkRay(mode) {
  const head = await RayHead.create(join(directory, "venv"), join(scratch, "r"), [
    ...["--num-cpus", "40", "--num-gpus", "2", "--object-store-memory", "1000000000"],
  ]);
  await head.start();
  const asJob = (name, overrides) => {
    const spyDir = join(scratch, name);
    const spec = specOf(mode, { directory, name, spyDir, steps: STEPS });
    const own = Object.entries(spec.overrides).filter(([key]) => !key.includes("ray_init"));
    return {
      spyDir,
      spec: {
        ...spec,
        driver: "ray-job",
        target: {
          address: head.address,
          token_path: head.tokenPath,
          python: join(directory, "venv/bin/python"),
          entrypoint_num_cpus: 1,
        },
        overrides: { ...Object.fromEntries(own), ...overrides },
      },
    };
  };
  try {
    const began = Date.now();
    const good = asJob(`ray-${mode.replaceAll("_", "-")}`, {});
    const { id } = await liverl.launch(good.spec);
    const run = await ended(id);
    const tokens = judgeTokens(good.spyDir);
    const bad = asJob("ray-refused", { "actor_rollout_ref.actor.no_such_key": 3 });
    const refused = await ended((await liverl.launch(bad.spec)).id);
    const ok =
      run.status === "succeeded" &&
      run.step === STEPS &&
      tokens.faults.length === 0 &&
      tokens.trained > 0 &&
      refused.status === "failed" &&
      /verl does not take this config/.test(refused.statusReason ?? "");
    return {
      ...{ claim: "ray", mode, ok, status: run.status, reason: run.statusReason },
      ...{ seconds: seconds(began), refused: refused.statusReason, ...tokens },
    };
  } finally {
    await head.kill();
  }
}

function runPython(script) {
  return spawnSync(join(directory, "venv/bin/python"), ["-W", "ignore", join(here, script)], {
    encoding: "utf8",
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(directory, "cudastub"),
      PYTHONPATH: `${here}:${join(root, "packages/verl-adapter/src")}`,
      RAY_AUTH_MODE: "disabled",
      VERL_USE_EXTERNAL_MODULES: "verl_cpu.plugin",
      VERL_PLATFORM: "cpu",
    },
  });
}

function checkAdvantages() {
  const { stdout, stderr, status } = runPython("advantages.py");
  if (status !== 0) return { claim: "advantages", ok: false, fault: stderr.slice(-600) };
  const figures = JSON.parse(stdout.trim().split("\n").at(-1));
  return {
    claim: "advantages",
    ok: Object.values(figures).every(
      ({ largestDifference, asVerlHasIt }) => largestDifference < 1e-6 && asVerlHasIt > 0.1,
    ),
    figures,
  };
}

/** As a person does it: the spec pasted as YAML, boot phases, charts that move, a trajectory with its tokens. */
async function checkBrowser(mode) {
  const name = `browser-${mode.replaceAll("_", "-")}`;
  const spyDir = join(scratch, name);
  const began = Date.now();
  const spec = specOf(mode, { directory, name, spyDir, steps: STEPS });
  const seen = await launchInBrowser(liverl, spec, join(scratch, `${name}.png`));
  return { claim: "browser", mode, ok: true, seconds: seconds(began), ...seen };
}

async function checkMerged(mode) {
  const began = Date.now();
  const parts = {
    launch: () => launch(mode, "checkpoints", { steps: STEPS }),
    ...{ ended, directory, scratch, steps: STEPS },
  };
  const seen = await checkCheckpoints(liverl, parts);
  return { claim: "checkpoints", mode, seconds: seconds(began), ...seen };
}

/** The host's own proxy instead of LiveRL's: the same tokens, the trajectories where all others lie, and nothing left. */
async function checkLocal(mode) {
  const { id, spyDir, began } = await launch(mode, "local", { steps: STEPS, proxyMode: "local" });
  const run = await ended(id);
  const tokens = judgeTokens(spyDir);
  const proxy = await judgeLocalProxy(liverl, id);
  const took = seconds(began);
  const killed = await killedInTheMiddle(mode);
  const ok =
    killed.faults.length === 0 &&
    run.status === "succeeded" &&
    run.step === STEPS &&
    tokens.trained > 0 &&
    tokens.standIns === 0 &&
    tokens.faults.length === 0 &&
    proxy.faults.length === 0;
  return {
    claim: "local",
    mode,
    ok,
    status: run.status,
    reason: run.statusReason,
    seconds: took,
    ...tokens,
    ...proxy,
    faults: [...tokens.faults, ...proxy.faults, ...killed.faults],
  };
}

/** A job that is killed takes its host's proxy along. */
async function killedInTheMiddle(mode) {
  const { id } = await launch(mode, "local-killed", {
    ...{ steps: KILL_STEPS, proxyMode: "local", secondsPerToken: 0.02 },
  });
  const served = () => proxiesOf(id).length > 0;
  await until(served, { what: `the proxy of ${id}`, timeoutMs: RUN_MS });
  await liverl.mutate("run.stop", { id, when: "now" });
  const { status } = await ended(id);
  const left = await proxiesEnd(id);
  return { faults: [...left, ...(status === "cancelled" ? [] : [`${id} is ${status}`])] };
}

/** Workers that know the proxy by a Ray actor's name alone. */
function checkDiscovery() {
  const { stdout, stderr, status } = runPython("proxy_actor.py");
  const line = stdout.trim().split("\n").at(-1) ?? "";
  if (!line.startsWith("{")) return { claim: "discovery", ok: false, fault: stderr.slice(-600) };
  return { claim: "discovery", ...JSON.parse(line), ok: status === 0 };
}

const CHECKS = {
  modes: checkMode,
  failures: checkFailures,
  kill: checkKill,
  ray: checkRay,
  browser: checkBrowser,
  checkpoints: checkMerged,
  local: checkLocal,
};
const results = [];
const note = (result) => {
  results.push(result);
  say(
    `${result.ok ? "✓" : "✗"} ${JSON.stringify({ ...result, faults: result.faults?.slice(0, 5) })}`,
  );
};
try {
  if (claims.includes("failures")) note(checkAdvantages());
  if (claims.includes("local")) note(checkDiscovery());
  for (const claim of claims)
    for (const mode of ["browser", "ray", "checkpoints", "local"].includes(claim)
      ? modes.slice(0, 1)
      : modes)
      note(
        await CHECKS[claim](mode).catch((error) => ({
          claim,
          mode,
          ok: false,
          fault: error.message,
        })),
      );
} finally {
  await liverl.stop();
}
const left = liverl.processes().map(({ argv }) => argv.slice(0, 3).join(" "));
say("claim     mode             outcome    seconds  rollouts  turns  trained tokens");
for (const {
  claim,
  mode = "",
  status = "",
  seconds: took = "",
  rows = "",
  turns = "",
  trained = "",
} of results)
  say(
    `${claim.padEnd(9)} ${mode.padEnd(16)} ${String(status).padEnd(10)} ${String(took).padEnd(8)} ${String(rows).padEnd(9)} ${String(turns).padEnd(6)} ${trained}`,
  );
const ok = results.length > 0 && results.every((result) => result.ok) && left.length === 0;
if (ok && !values.keep) {
  liverl.remove();
  rmSync(scratch, { recursive: true, force: true });
} else say(`what happened is kept in ${liverl.dataDir} and ${scratch}`);
report({ ok, left, claims: results });
process.exit(ok ? 0 : 1);
