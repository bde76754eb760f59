// Trials at runners that joined: each a process with a data directory of its own, which knows the first one by its address alone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { until } from "../../../bench/liverl.mjs";
import { agentSolves, whileInstalling } from "./agent-claims.mjs";
import { demand, readFile, readText, rolloutOf, tell } from "./rollouts.mjs";
import { Runner } from "./runner.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const TRIALS = 24;

class Joined {
  #child = null;

  constructor(home, name, slots) {
    this.name = name;
    this.slots = slots;
    this.home = home;
    this.dataDir = join(home.dataDir, "..", `joined-${name}`);
    mkdirSync(this.dataDir, { recursive: true });
  }

  start() {
    const from = (name) => join(this.home.dataDir, "runner", name);
    const tokenPath = join(this.dataDir, "join.token");
    copyFileSync(from("join.token"), tokenPath);
    const port = readFileSync(from("port"), "utf8").trim();
    this.#child = spawn(
      process.execPath,
      [
        "dist/liverl-runner.mjs",
        ...["--join", `http://127.0.0.1:${port}`, "--token-path", tokenPath],
        ...["--slots", `${this.slots}`, "--name", this.name, "--data-dir", this.dataDir],
      ],
      {
        cwd: root,
        env: { ...process.env, LIVERL_LOG_LEVEL: "error" },
        stdio: ["ignore", "ignore", "inherit"],
      },
    );
    const child = this.#child;
    process.once("exit", () => child.kill("SIGTERM"));
  }

  async end(signal) {
    const gone = once(this.#child, "exit");
    this.#child.kill(signal);
    await gone;
  }

  instance() {
    const path = join(this.dataDir, "runner", "sandbox-instance");
    return existsSync(path) ? readFileSync(path, "utf8").trim() : null;
  }
}

/** A trial runner that has no trial itself, and two that joined it; all ended afterwards. */
async function withJoined(world, name, prove) {
  const home = new Runner(join(world.directory, name, "home"), { LIVERL_TRIALS_HERE: "0" });
  await home.start();
  const joined = ["east", "west"].map((one) => new Joined(home, one, 4));
  for (const one of joined) one.start();
  const listed = async () => (await home.ask("GET", "/api/v1/sandboxes")).content.runners;
  try {
    await until(async () => (await listed()).length === 2, {
      what: "both to join",
      timeoutMs: 30_000,
    });
    const left = async () =>
      (await Promise.all(joined.map((one) => world.containersOf(one.instance())))).flat().length;
    return await prove({ home, joined, listed, left });
  } finally {
    await Promise.all(joined.map((one) => one.end("SIGTERM")));
    await home.stop();
  }
}

async function register(world, home, agent) {
  const runId = `joined-${agent}`;
  const { status, content } = await home.register(runId, world.runOf(agent));
  demand(status === 200, `the run was refused: ${JSON.stringify(content)}`);
  return runId;
}

const ask = ({ tasks }, home, runId, count) =>
  Array.from({ length: count }, (_, at) =>
    home.rollout(rolloutOf(runId, tasks[at % tasks.length].folder, at)),
  );

const ended = (signal) => async (world) =>
  await withJoined(world, signal.toLowerCase(), async ({ home, joined, left }) => {
    const runId = await register(world, home, "oracle");
    const asked = ask(world, home, runId, TRIALS);
    const [east] = joined;
    await until(async () => (await world.containersOf(east.instance())).length >= 2, {
      what: "trials at work",
      everyMs: 20,
    });
    await east.end(signal);
    const orphans = (await world.containersOf(east.instance())).length;
    const results = await Promise.all(asked);
    for (const result of results) demand(result.reward === 1, `a trial failed: ${tell(result)}`);
    // What a killed one left is removed when it is back.
    east.start();
    await until(async () => (await left()) === 0, { what: "no container", timeoutMs: 60_000 });
    const again = results.filter(({ attempt }) => attempt > 1).length;
    demand(again > 0, "the runner had no trial when it ended");
    return { trials: TRIALS, orphans, startedAgain: again, left: 0 };
  });

export const survivesKilledJoined = ended("SIGKILL");
export const survivesStoppedJoined = ended("SIGTERM");

/** A process beside the sandbox, at the joined runner, whose calls go home. */
export async function playsHostAgents(world) {
  return await withJoined(world, "python", async ({ home, left }) => {
    const registerRun = async (agent, more) => {
      const runId = "joined-python";
      const { status, content } = await whileInstalling(() =>
        home.register(runId, { ...world.runOf(agent), ...more }),
      );
      demand(status === 200, `the run was refused: ${JSON.stringify(content)}`);
      return runId;
    };
    const noneLeft = async () => demand((await left()) === 0, "containers are left");
    return await agentSolves("own_agents:AskOnce")({
      ...world,
      runner: home,
      registerRun,
      noneLeft,
    });
  });
}

/** The agent's calls go through the first runner; files, rewards and tokens are where they always are. */
export async function runsAtJoined(world) {
  return await withJoined(world, "works", async ({ home, listed, left }) => {
    const oracle = await register(world, home, "oracle");
    const running = ask(world, home, oracle, TRIALS);
    const seen = new Set();
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        for (const { name, trials } of await listed()) if (trials > 0) seen.add(name);
        await sleep(100);
      }
    })();
    const results = await Promise.all(running);
    isOver = true;
    await watching;
    for (const result of results) demand(result.reward === 1, `a trial failed: ${tell(result)}`);
    demand(seen.size === 2, `trials ran at ${[...seen]}`);
    const [first] = results;
    for (const name of ["trial.log", "phases.jsonl", "verifier/reward.txt"])
      demand(readText(home, oracle, first, name) !== "", `${name} is empty`);
    demand(readFile(home, oracle, first, "result.json").trial_name, "result.json has no name");
    const solved = await modelSolves(world, home);
    demand((await left()) === 0, "containers are left");
    return { trials: results.length, runners: [...seen].sort(), ...solved };
  });
}

async function modelSolves(world, home) {
  const runId = await register(world, home, "mini");
  const [result] = await Promise.all(ask(world, home, runId, 1));
  demand(result.status === "succeeded", `mini: ${tell(result)}`);
  const tokens = result.segments.reduce((sum, { mask }) => sum + mask.filter(Boolean).length, 0);
  demand(tokens > 0, "no token of the model was recorded");
  const atif = readFile(home, runId, result, "agent/trajectory.json");
  demand(atif.steps.length > 1, "the trajectory has no step of the agent");
  return { miniReward: result.reward, trainedTokens: tokens };
}

/** What the first one had given away starts over. */
export async function survivesKilledHome(world) {
  return await withJoined(world, "home", async ({ home, joined, left }) => {
    const runId = await register(world, home, "oracle");
    const asked = ask(world, home, runId, TRIALS);
    const [east] = joined;
    await until(async () => (await world.containersOf(east.instance())).length >= 2, {
      what: "trials at work",
      everyMs: 20,
    });
    await home.kill();
    await home.start();
    const results = await Promise.all(asked);
    for (const result of results) demand(result.reward === 1, `after the kill: ${tell(result)}`);
    await until(async () => (await left()) === 0, { what: "no container", timeoutMs: 60_000 });
    return { trials: TRIALS, startedAgain: results.filter(({ attempt }) => attempt > 1).length };
  });
}
