// `npm run play` against an engine that samples given turns: what it prints, what pages show of it, and how it is ended.
import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { benchModel } from "../../../bench/bench-model.mjs";
import { LiveRL, until } from "../../../bench/liverl.mjs";
import { makeTask } from "./make-tasks.mjs";
import { demand } from "./rollouts.mjs";
import { Runner } from "./runner.mjs";
import { buildAll } from "./watch.mjs";

const PLAY = fileURLToPath(new URL("../../../scripts/play.mjs", import.meta.url));
const TRIALS_OF_A_TASK = 2;

function start(argv) {
  const child = spawn(process.execPath, [PLAY, "--json", ...argv]);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (bytes) => (stdout += bytes));
  child.stderr.on("data", (bytes) => (stderr += bytes));
  const ended = new Promise((resolve) =>
    child.once("exit", (code) => resolve({ code, stdout, stderr })),
  );
  return { child, ended };
}

const report = ({ stdout }) => JSON.parse(stdout.trimEnd().split("\n").at(-1));

async function playTwice({ liverl, folder, argv }) {
  makeTask(folder, "solved", {
    test: 'if [ "$(cat /app/answer)" = repaired ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt',
  });
  makeTask(folder, "unsolved", { test: "echo 0 > /logs/verifier/reward.txt" });
  const ended = await start([...argv, "--n", String(TRIALS_OF_A_TASK), folder]).ended;
  demand(ended.code === 0, `exit code ${ended.code}: ${ended.stderr}`);
  const { trials, runId, reward, url } = report(ended);
  const rewards = trials.map((trial) => `${trial.task} ${trial.reward}`).sort();
  demand(rewards.join() === "solved 1,solved 1,unsolved 0,unsolved 0", rewards.join());
  demand(reward === 0.5, `mean reward ${reward}`);
  for (const trial of trials) {
    demand(existsSync(join(trial.folder, "proxy_trajectory.json")), `${trial.folder} is empty`);
    await pageHas(liverl, trial);
  }
  const run = await liverl.query("run.get", { id: runId });
  demand(run.status === "succeeded", `the run is ${run.status}`);
  demand(!["Stalled", "Down"].includes(run.verdict.word), `the run is called ${run.verdict.word}`);
  demand(url === `${liverl.url}/p/play/runs/${runId}`, url);
  return { trials: trials.length, reward, status: run.status };
}

/** Control takes over what the runner has ended some moments later. */
async function pageHas(liverl, { rolloutId, reward }) {
  await until(
    async () => (await liverl.query("trajectory.get", { rolloutId })).rollout.reward === reward,
    { what: `the page of ${rolloutId} with reward ${reward}`, timeoutMs: 30_000 },
  );
}

/** A task that can not be read is no reward, with the runner's reason. */
async function tellsReason({ folder, argv }) {
  const task = makeTask(folder, "untested", { test: "exit 0" });
  rmSync(join(task, "tests"), { recursive: true });
  const ended = await start([...argv, task]).ended;
  const { ok, trials } = report(ended);
  demand(ended.code === 1 && !ok, `exit code ${ended.code}: ${ended.stderr}`);
  demand(/tests/.test(trials[0].error), `the reason: ${trials[0].error}`);
  return { untested: trials[0].error };
}

/** Ctrl-C while the tests run. */
async function cancels({ liverl, folder, argv, containersOf, instance }) {
  const task = makeTask(folder, "long", { test: "sleep 300" });
  const { child, ended } = start([...argv, task]);
  const live = () => liverl.query("sandbox.list");
  await until(async () => (await live()).value?.trials.some((one) => one.state === "verifying"), {
    what: "a trial that goes on",
    timeoutMs: 180_000,
  });
  child.kill("SIGINT");
  const over = await ended;
  const { runId, trials } = report(over);
  demand(over.code === 1 && trials[0].error === "cancelled", `Ctrl-C: ${over.code} ${over.stderr}`);
  const { status } = await liverl.query("run.get", { id: runId });
  demand(status === "cancelled", `a run that was ended is ${status}`);
  const left = await containersOf(instance());
  demand(left.length === 0, `${left.length} containers are left`);
  return { cancelled: trials[0].error };
}

export async function plays({ directory, runOf, containersOf }) {
  buildAll();
  const liverl = await LiveRL.create();
  await liverl.start();
  try {
    const runner = new Runner(liverl.dataDir);
    await runner.ready();
    const [{ url }] = runOf("mini").pool.engines;
    const argv = ["--data-dir", liverl.dataDir, "--engine", url, "--model", benchModel()];
    const world = {
      ...{ liverl, containersOf, instance: () => runner.instance() },
      argv: [...argv, "--max-turns", "2"],
    };
    const folder = (name) => join(directory, `play-${name}`);
    return {
      ...(await playTwice({ ...world, folder: folder("both") })),
      ...(await tellsReason({ ...world, folder: folder("reason") })),
      ...(await cancels({ ...world, folder: folder("cancel") })),
    };
  } finally {
    await liverl.stop();
    liverl.remove();
  }
}
