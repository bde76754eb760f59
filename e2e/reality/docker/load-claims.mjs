// Many trials at once of several agents, and what is killed among them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchModel, speller } from "../../../bench/bench-model.mjs";
import { LiveRL, quantile, until } from "../../../bench/liverl.mjs";
import { startEngine } from "../../../bench/proxy-process.mjs";
import { ANY_REPAIR } from "./make-tasks.mjs";
import { demand, noneLeft, rolloutOf, tell } from "./rollouts.mjs";
import { Runner } from "./runner.mjs";
import { buildAll } from "./watch.mjs";

/** The call of its tool for commands that each agent's model makes; without one the agent asks no model. */
const CALLS = {
  oracle: null,
  nop: null,
  mini: { name: "bash", arguments: { command: ANY_REPAIR } },
  "claude-code": {
    name: "Bash",
    arguments: { command: ANY_REPAIR, description: "Repairs it" },
  },
};
const RIGHT = { oracle: 1, nop: 0, mini: 1, "claude-code": 1 };
/** The model calls its tool each time that it is asked. */
const MAX_TURNS = 2;

/** A run of each agent, and what it says of its trials. */
async function runsOf({ directory, registerRun, runOf }) {
  const engines = [];
  const runs = {};
  for (const [agent, call] of Object.entries(CALLS)) {
    let engine = null;
    if (call) {
      const path = join(directory, `turns-many-${agent}.json`);
      const spell = speller(benchModel());
      writeFileSync(
        path,
        JSON.stringify([spell(`<tool_call>\n${JSON.stringify(call)}\n</tool_call>`)]),
      );
      engine = await startEngine(directory, "--turns", path);
      engines.push(engine);
    }
    const { pool } = runOf(agent, engine?.url);
    runs[agent] = await registerRun(agent, {
      maxTurns: MAX_TURNS,
      pool: { ...pool, maxModelLen: 65_536 },
    });
  }
  const end = () => {
    for (const engine of engines) engine.stop();
  };
  return { runs, end };
}

/** Rollouts of all agents in turn on the tasks in turn, so many as `--trials` says, and at most `--width` at once. */
function askAll({ runner, tasks, trials, width }, runs) {
  const agents = Object.keys(runs);
  const results = [];
  let next = 0;
  const work = async () => {
    while (next < trials) {
      const at = next++;
      const agent = agents[at % agents.length];
      const { folder } = tasks[Math.floor(at / agents.length) % tasks.length];
      results.push({ agent, ...(await runner.rollout(rolloutOf(runs[agent], folder, at))) });
    }
  };
  return Promise.all(Array.from({ length: width }, work)).then(() => results);
}

function judge(results, trials) {
  demand(results.length === trials, `${results.length} of ${trials} trials have a result`);
  const ids = new Set(results.map(({ rolloutId }) => rolloutId));
  demand(ids.size === trials, "a trial was answered twice");
  const rewards = {};
  for (const { agent, ...result } of results) {
    demand(result.reward === RIGHT[agent], `${agent}: ${tell(result)}`);
    const key = `${agent}: ${result.reward}`;
    rewards[key] = (rewards[key] ?? 0) + 1;
  }
  return rewards;
}

export async function manyTrials(world) {
  const { runs, end } = await runsOf(world);
  try {
    const began = performance.now();
    const results = await askAll(world, runs);
    const wallS = Math.round((performance.now() - began) / 100) / 10;
    const rewards = judge(results, world.trials);
    await noneLeft(world);
    const ms = results.map(({ timings: t }) => (t.setupS + t.agentS + t.verifyS) * 1_000);
    return {
      ...{ trials: world.trials, atOnce: world.width, wallS, rewards },
      trialMsP50: Math.round(quantile(ms, 0.5)),
    };
  } finally {
    end();
  }
}

/** `kill` comes when many are at work and ends what makes the trials; it resolves once that is there again. */
async function playKilled(world, kill) {
  const { containersOf, runner, trials, width } = world;
  const { runs, end } = await runsOf(world);
  try {
    const asked = askAll(world, runs);
    const atWork = async () =>
      (await containersOf(runner.instance())).length >= Math.min(width, trials) / 2;
    await until(atWork, { what: "trials at work", everyMs: 20 });
    const orphans = await kill();
    demand(orphans > 0, "nothing ran at the kill");
    const results = await asked;
    const rewards = judge(results, trials);
    const again = results.filter(({ attempt }) => attempt > 1).length;
    await noneLeft(world);
    return {
      runs,
      figures: { trials, rewards, orphansAtKill: orphans, startedAgain: again, left: 0 },
    };
  } finally {
    end();
  }
}

export async function survivesKill(world) {
  const { containersOf, runner } = world;
  const { figures } = await playKilled(world, async () => {
    await runner.kill();
    const { length } = await containersOf(runner.instance());
    await runner.start();
    return length;
  });
  return figures;
}

const PROJECT = "docker";
const INDEX_MS = 60_000;

/** Control and its runner are killed together, and control alone is started again, as an operator does. */
export async function survivesKillOfControl(world) {
  const { containersOf, directory, runOf } = world;
  buildAll();
  const liverl = await LiveRL.create();
  await liverl.start();
  try {
    const runner = new Runner(liverl.dataDir);
    await runner.ready();
    const registerRun = async (agent, more) => {
      const path = join(directory, `metrics-of-killed-${agent}.jsonl`);
      writeFileSync(path, `${JSON.stringify({ step: 1, data: { "critic/rewards/mean": 0 } })}\n`);
      const { id } = await liverl.mutate("run.attach", { project: PROJECT, name: agent, path });
      const { status, content } = await runner.register(id, { ...runOf(agent), ...more });
      demand(status === 200, `the run was refused: ${JSON.stringify(content)}`);
      return id;
    };
    const { runs, figures } = await playKilled({ ...world, runner, registerRun }, async () => {
      liverl.control.kill("SIGKILL");
      process.kill(liverl.pidOf("runner"), "SIGKILL");
      await liverl.exited;
      const { length } = await containersOf(runner.instance());
      await liverl.start();
      return length;
    });
    const finished = async (runId) => {
      const { rollouts, total } = await liverl.query("rollout.list", { runId, limit: 1_000 });
      return rollouts.length === total && rollouts.every(({ endedAt }) => endedAt) ? total : 0;
    };
    const counts = () => Promise.all(Object.values(runs).map(finished));
    const indexed = await until(
      async () => {
        const sum = (await counts()).reduce((total, count) => total + count, 0);
        return sum === world.trials ? sum : null;
      },
      { what: "every trial in control's index", timeoutMs: INDEX_MS },
    );
    return { ...figures, indexed };
  } finally {
    await liverl.stop();
    liverl.remove();
  }
}
