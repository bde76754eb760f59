// What the runner itself lives on fails: its own disk, its proxy, the engines. And what is no infrastructure at all.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { benchModel, speller } from "../../../../bench/bench-model.mjs";
import { startEngine } from "../../../../bench/proxy-process.mjs";
import { demand, rolloutOf, tell } from "../rollouts.mjs";
import { faultWorld, nameRun, playFault, TESTS_RUN, workTask } from "./fault-world.mjs";

const FULL_MS = 8_000;

export const ownDiskFull = (world) =>
  playFault(world, {
    fault: `the runner's own disk is full for ${FULL_MS / 1_000} s: results are written`,
    task: (faults) => workTask(faults, "own-disk", { testS: 8 }),
    phase: TESTS_RUN,
    strike: async ({ disk }) => {
      disk.fill();
      await sleep(FULL_MS);
      disk.free();
    },
    errors: ["DiskFullError"],
    ends: [1],
    isLonely: true,
  });

const MODEL_COMMAND = "sleep 3; echo repaired > /app/answer";
/** By then the first command of the agent runs. */
const ACTS_MS = 2_000;

/** Of its own, so that it can go: the model calls bash twice, and each command takes some seconds. */
async function slowEngine({ directory }) {
  const call = { name: "bash", arguments: { command: MODEL_COMMAND } };
  const turns = [speller(benchModel())(`<tool_call>\n${JSON.stringify(call)}\n</tool_call>`)];
  const path = join(directory, "turns-slow.json");
  writeFileSync(path, JSON.stringify(turns));
  return await startEngine(directory, "--turns", path);
}

const whileMiniActs =
  (fault, name, strike, { limits, ...more }) =>
  async (world) => {
    const engine = await slowEngine(world);
    try {
      return await playFault(world, {
        fault: `${fault}: agents work`,
        agent: "mini",
        run: { ...world.runOf("mini", engine.url), ...limits },
        task: (faults) => workTask(faults, name),
        words: "The agent mini starts",
        strike: async (faults) => {
          await sleep(ACTS_MS);
          strike(faults, engine);
        },
        ...more,
      });
    } finally {
      engine.stop();
    }
  };

export const proxyKilled = whileMiniActs(
  "the proxy is killed, and started again by the runner",
  "proxy-killed",
  ({ runner }) => {
    const path = join(runner.dataDir, "processes/proxy.json");
    process.kill(JSON.parse(readFileSync(path, "utf8")).pid, "SIGKILL");
  },
  { errors: [], survives: true, ends: [1] },
);
/** Longer than a model may be silent. */
const LIMIT_S = 75;
export const engineGone = whileMiniActs(
  "the engines are gone for good",
  "engine-gone",
  (_, engine) => engine.stop(),
  { errors: ["ApiResponseStalledError"], ends: [null], limits: { rolloutTimeoutS: LIMIT_S } },
);

const BOMB = "bomb() { bomb | bomb & }; bomb; sleep 2; exit 0";
const AGENTS = {
  "its processes fill the sandbox": { solve: `echo repaired > /app/answer; ${BOMB}` },
  "it takes all memory": { solve: "tail /dev/zero" },
  "what it left kills the tests": {
    solve: "echo 'kill -9 $PPID' > /app/answer",
    test: "echo 0 > /logs/verifier/reward.txt; sh /app/answer; sleep 1",
  },
};
const OUTCOMES = {
  "its processes fill the sandbox": { reward: 1, attempt: 1, type: null },
  "it takes all memory": { reward: 0, attempt: 1, type: null },
  "what it left kills the tests": { reward: null, attempt: 1, type: "VerifierKilledError" },
};

/** What an agent does to its own sandbox is its own: the tests judge what it left, and it gets no second try. */
export async function agentsOwnDoing(world) {
  const faults = await faultWorld(world);
  const runId = await nameRun(faults, "oracle");
  const outcomes = {};
  for (const [at, [name, how]] of Object.entries(AGENTS).entries()) {
    const result = await faults.runner.rollout(
      rolloutOf(runId, workTask(faults, `own-${at}`, how), at),
    );
    const { reward, attempt, error } = result;
    outcomes[name] = { reward, attempt, type: error?.exception_type ?? null };
    demand(
      JSON.stringify(outcomes[name]) === JSON.stringify(OUTCOMES[name]),
      `${name}: ${tell(result)}`,
    );
  }
  return outcomes;
}
