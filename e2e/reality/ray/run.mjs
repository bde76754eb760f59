// Runs as jobs of a real Ray head with a token, started and watched by a real control: `npm run e2e:reality -- ray [--only=TEXT]`.
//   RAY_VENV   a Python environment with ray[default]; else one is made in .liverl/reality/ray (PyPI, 300 MB)
//   VERL_DIR   what the suite of verl has set up: then its environment is taken, and real verl trains on that head, too
// What the other jobs run stands in for verl (verl_stand_in.py); Ray, its REST API, its token and its workers are real.
// The last line of stdout is one JSON object; exit 0 only when every claim holds.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { LiveRL, until } from "../../../bench/liverl.mjs";
import { judgeTokens } from "../verl/judge.mjs";
import { judgeLocalProxy } from "../verl/judge-local-proxy.mjs";
import { specOf } from "../verl/spec.mjs";
import { RayHead } from "./head.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));
const only = process.argv.find((word) => word.startsWith("--only="))?.slice(7) ?? null;
// No page is looked at.
const ONLY = [
  "--only=control,ingest-worker,runner,proxy,stand-alone,agent-worker,code-worker,model",
];
const ENDED = ["succeeded", "stopped", "failed", "cancelled"];
const verlDir = process.env.VERL_DIR ? resolve(process.env.VERL_DIR) : null;
const NASTY = 'it\'s $(id) `id` "q" \\ \n * ~ é';
const say = (line) => process.stderr.write(`${line}\n`);
const report = (value) => process.stdout.write(`${JSON.stringify({ name: "ray", ...value })}\n`);

function skip(reason) {
  say(`SKIPPED: no real Ray was run. ${reason}`);
  report({ ok: false, skipped: reason });
  process.exit(0);
}

function findVenv() {
  if (verlDir) return join(verlDir, "venv");
  if (process.env.RAY_VENV) return resolve(process.env.RAY_VENV);
  const venv = join(root, ".liverl/reality/ray/venv");
  if (existsSync(join(venv, "bin/ray"))) return venv;
  say(`Installing Ray in ${venv} (a minute or two)`);
  mkdirSync(venv, { recursive: true });
  const python = ["python3.12", "python3.11", "python3.10", "python3"].find(
    (name) =>
      spawnSync(name, [
        "-c",
        "import sys, venv, ensurepip; sys.exit(not (3, 10) <= sys.version_info < (3, 14))",
      ]).status === 0,
  );
  if (!python) skip("There is no Python 3.10 to 3.13 with venv: set RAY_VENV.");
  const made = spawnSync(python, ["-m", "venv", venv], { encoding: "utf8" });
  if (made.status !== 0) skip(made.stderr.trim());
  const pip = ["-m", "pip", "install", "--quiet", "-r", join(here, "requirements.txt")];
  const installed = spawnSync(join(venv, "bin/python"), pip, { encoding: "utf8" });
  if (installed.status !== 0) skip(`pip: ${installed.stderr.trim().split("\n").at(-1)}`);
  return venv;
}

const venv = findVenv();
const built = spawnSync(process.execPath, ["scripts/build.mjs", ...ONLY], {
  cwd: root,
  stdio: ["ignore", "ignore", "inherit"],
});
if (built.status !== 0) process.exit(1);
const scratch = mkdtempSync(join(tmpdir(), "lrl-ray-"));
const model = join(scratch, "model");
spawnSync(process.execPath, ["dist/model.mjs", "--out", model], { cwd: root });
// Stands where the interpreter of the cluster's nodes does.
const python = join(scratch, "python");
writeFileSync(python, `#!/bin/sh\nexec '${venv}/bin/python' '${here}verl_stand_in.py' "$@"\n`);
chmodSync(python, 0o755);

const head = await RayHead.create(venv, join(scratch, "r"), [
  // Ray is told that it has what a GPU machine has.
  ...["--num-cpus", "40", "--num-gpus", "2", "--object-store-memory", "1000000000"],
]);
const liverl = await LiveRL.create();
process.once("exit", () => {
  for (const pid of head.processes())
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended.
    }
});
await head.start();
await liverl.start();

function launch(name, { steps = 4, env = {}, overrides = {}, tokenPath = head.tokenPath } = {}) {
  const spec = specOf("sync", { directory: scratch, name, steps, spyDir: scratch });
  return liverl.launch({
    ...spec,
    driver: "ray-job",
    target: { address: head.address, token_path: tokenPath, python, entrypoint_num_cpus: 1 },
    model: { ...spec.model, path: model },
    overrides,
    env,
  });
}

const get = (id) => liverl.query("run.get", { id });
const ended = (id) =>
  until(
    async () => {
      const run = await get(id);
      return ENDED.includes(run.status) ? run : null;
    },
    { what: `the end of ${id}`, timeoutMs: 400_000 },
  );
const underWay = (id) =>
  until(
    async () => {
      const run = await get(id);
      return consoleOf(id).includes("step:2 - ") || ENDED.includes(run.status) ? run : null;
    },
    { what: `step 2 of ${id}`, timeoutMs: 90_000 },
  ).then((run) => expect(!ENDED.includes(run.status), run.statusReason));
const folder = (id) => join(liverl.dataDir, "runs", id);
const consoleOf = (id) => read(join(folder(id), "logs/verl-1.log"));
const read = (path) => (existsSync(path) ? readFileSync(path, "utf8") : "");
const jobOf = (id) => head.ask(`/api/jobs/${id}-1`);
const eventsOf = async (id) => JSON.stringify(await liverl.query("run.events", { id }));

function expect(holds, what) {
  if (!holds) throw new Error(what);
}

/** What control has of the log is what Ray has, byte by byte. */
async function expectWholeLog(id) {
  const { logs } = await head.ask(`/api/jobs/${id}-1/logs`);
  const ours = consoleOf(id);
  expect(logs.length > 50_000, `Ray has only ${logs.length} characters`);
  expect(ours === logs, `the log differs: ${ours.length} characters here, ${logs.length} at Ray`);
  return logs.length;
}

const claims = [];
async function claim(name, prove) {
  if (only !== null && !name.includes(only)) return;
  const began = performance.now();
  const entry = { name, ok: true };
  try {
    Object.assign(entry, await prove());
  } catch (error) {
    Object.assign(entry, { ok: false, why: error.message.slice(0, 1500) });
  }
  entry.seconds = Math.round((performance.now() - began) / 100) / 10;
  claims.push(entry);
  say(`${entry.ok ? "✓" : "✗"} ${JSON.stringify(entry)}`);
}

await claim(
  "a job is submitted, watched and ends; its arguments and its log arrive as they are",
  async () => {
    const { id } = await launch("whole", { overrides: { "+nasty": NASTY } });
    const run = await ended(id);
    expect(run.status === "succeeded" && run.step === 4, `${run.status}: ${run.statusReason}`);
    const console = consoleOf(id);
    const argv = JSON.parse(/^argv (.*)$/m.exec(console)[1]);
    const begin = argv.slice(0, argv.indexOf("--")).join(" ");
    const wanted = "-m liverl_verl.begin --module verl.trainer.main_ppo";
    expect(begin === wanted, `argv is ${begin}`);
    const given = argv.find((word) => word.startsWith("+nasty="));
    const quoted = NASTY.replace(/(\\*)"/g, '$1$1\\"');
    expect(given === `+nasty="${quoted}"`, `the override came as ${given}`);
    const look = JSON.parse(/^look (.*)$/m.exec(console)[1]);
    expect(
      look.loops && look.tokens,
      `the working directory lacks something: ${JSON.stringify(look)}`,
    );
    expect(/verl's file/.test(await eventsOf(id)), "the event does not say that the file is read");
    expect(!read(join(folder(id), "job-1.json")).includes(head.token), "the token was stored");
    return { bytes: await expectWholeLog(id) };
  },
);

await claim("on another disk the printed lines are the metrics", async () => {
  const { id } = await launch("apart", {
    env: { VERL_FILE_LOGGER_PATH: "/nowhere/metrics.jsonl" },
  });
  const run = await ended(id);
  expect(run.status === "succeeded", `${run.status}: ${run.statusReason}`);
  // They are written at the end and folded a moment later.
  await until(async () => (await get(id)).step === 4, { what: "step 4", timeoutMs: 30_000 });
  expect(/lines that verl prints/.test(await eventsOf(id)), "the event does not say so");
  const lines = read(join(folder(id), "metrics-1.jsonl"))
    .trim()
    .split("\n");
  expect(lines.length === 4, `${lines.length} lines`);
  return { lines: lines.length };
});

await claim("a stop ends the job on Ray", async () => {
  const { id } = await launch("stop", { steps: 500 });
  await underWay(id);
  await liverl.mutate("run.stop", { id, when: "now" });
  const run = await ended(id);
  const job = await jobOf(id);
  expect(run.status === "cancelled", `${run.status}: ${run.statusReason}`);
  expect(job.status === "STOPPED", `Ray says ${job.status}`);
  return { reason: run.statusReason };
});

await claim("a job that fails says why", async () => {
  const { id } = await launch("fails", { env: { STAND_IN_EXIT: "3" } });
  const run = await ended(id);
  expect(run.status === "failed", run.status);
  expect(
    /code 3 after 2 of 4 steps: .*sandbox pool is gone/.test(run.statusReason),
    run.statusReason,
  );
  await expectWholeLog(id);
  return { reason: run.statusReason };
});

await claim("the cluster page sees the head, its actors, and whose runs are there", async () => {
  const { id } = await launch("seen", { steps: 500 });
  await underWay(id);
  const seen = await until(
    async () => {
      const { rays } = await liverl.query("cluster.get");
      const ray = rays.find(({ address }) => address === head.address);
      const supervisor = ray?.value?.actors.find(
        ({ className, name, state }) =>
          className === "JobSupervisor" && name.includes(`${id}-1`) && state === "ALIVE",
      );
      // A head's agent tells what its machine has some seconds after it came up.
      const hasTold = ray?.value?.nodes.every(({ memoryTotal }) => memoryTotal !== null);
      return supervisor && hasTold ? ray : null;
    },
    { what: "the job's actor and the head's memory", timeoutMs: 60_000 },
  );
  const [node] = seen.value.nodes;
  expect(node.isHead && node.isAlive && node.memoryTotal > 2 ** 30, JSON.stringify(node));
  expect(seen.value.nodes.length === 1, `${seen.value.nodes.length} nodes`);
  expect(seen.value.isOpen === false, "a head with a token is called open");
  expect(
    seen.runs.some((run) => run.id === id),
    "the run is not named",
  );
  await liverl.mutate("run.stop", { id, when: "now" });
  await ended(id);
  return { version: seen.value.version, actors: seen.value.actorCount };
});

await claim("control killed with -9 finds the same job again", async () => {
  const { id } = await launch("adopt", { steps: 40, env: { STAND_IN_STEP_S: "0.5" } });
  await underWay(id);
  liverl.control.kill("SIGKILL");
  await liverl.exited;
  await liverl.start();
  const run = await ended(id);
  expect(run.status === "succeeded" && run.step === 40, `${run.status}: ${run.statusReason}`);
  const ours = (await head.ask("/api/jobs/")).filter((job) => job.submission_id?.startsWith(id));
  expect(ours.length === 1, `${ours.length} jobs were submitted`);
  return { bytes: await expectWholeLog(id) };
});

await claim("a wrong token is told from a missing one", async () => {
  const wrong = join(scratch, "wrong.token");
  writeFileSync(wrong, "not-the-token\n");
  const refused = await ended((await launch("wrong-token", { tokenPath: wrong })).id);
  const missing = await ended((await launch("no-token", { tokenPath: null })).id);
  expect(/refuses the token in/.test(refused.statusReason), refused.statusReason);
  expect(/asks for a token/.test(missing.statusReason), missing.statusReason);
  return { refused: refused.statusReason, missing: missing.statusReason };
});

await claim(
  "the head killed in the middle: nothing follows until another answers without the job",
  async () => {
    const { id } = await launch("head", { steps: 500 });
    await underWay(id);
    await head.kill();
    await until(async () => /Nothing is known of the job/.test(await eventsOf(id)), {
      what: "the event",
    });
    const during = await get(id);
    expect(!ENDED.includes(during.status), `the run was ${during.status} while nobody knew`);
    await head.start();
    const run = await ended(id);
    expect(run.status === "failed" && /was restarted/.test(run.statusReason), run.statusReason);
    return { reason: run.statusReason };
  },
);

async function realVerl(proxyMode) {
  const name = `verl-${proxyMode}`;
  const spyDir = join(scratch, name);
  const spec = specOf("sync", { directory: verlDir, name, steps: 2, spyDir, proxyMode });
  const isOfRay = (key) => key.includes("ray_kwargs");
  const kept = Object.entries(spec.overrides).filter(([key]) => !isOfRay(key));
  const { id } = await liverl.launch({
    ...spec,
    driver: "ray-job",
    target: {
      address: head.address,
      token_path: head.tokenPath,
      python: join(venv, "bin/python"),
      entrypoint_num_cpus: 1,
    },
    overrides: Object.fromEntries(kept),
  });
  const run = await ended(id);
  expect(run.status === "succeeded" && run.step === 2, `${run.status}: ${run.statusReason}`);
  expect(run.counts.rollouts > 0, "no rollout");
  const { logs } = await head.ask(`/api/jobs/${id}-1/logs`);
  expect(consoleOf(id) === logs, "the log differs");
  const { faults, trained } = judgeTokens(spyDir);
  expect(faults.length === 0 && trained > 0, faults[0] ?? "nothing was trained");
  if (proxyMode === "local") {
    const proxy = await judgeLocalProxy(liverl, id);
    expect(proxy.faults.length === 0, proxy.faults[0]);
  }
  return { rollouts: run.counts.rollouts, trained, bytes: logs.length };
}
if (verlDir) {
  await claim("real verl trains as a job, its loop from the job's own package", () =>
    realVerl("server"),
  );
  await claim("real verl trains as a job with a proxy of its host from the same package", () =>
    realVerl("local"),
  );
} else
  say("SKIPPED: real verl on this head needs VERL_DIR (npm run e2e:reality -- verl sets it up).");

await liverl.stop();
liverl.remove();
await head.kill();
rmSync(scratch, { recursive: true, force: true });
report({ ok: claims.every(({ ok }) => ok), claims });
process.exit(claims.every(({ ok }) => ok) ? 0 : 1);
