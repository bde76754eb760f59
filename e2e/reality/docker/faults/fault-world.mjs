// A runner with a daemon and a disk of its own, and what is done to its trials: a fault strikes when all of them are in a phase.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../../../bench/liverl.mjs";
import { CONFIG, makeTask } from "../make-tasks.mjs";
import { demand, noneLeft, rolloutOf, tell } from "../rollouts.mjs";
import { Runner } from "../runner.mjs";
import { OwnDaemon } from "./own-daemon.mjs";
import { SmallDisk } from "./small-disk.mjs";

const RUNNER_DISK_MB = 256;
const PHASE_MS = 300_000;
/** The reaper's round, and what a daemon takes to remove. */
const REAP_MS = 120_000;
/** Trials that a fault strikes, at once. */
const STRUCK = 4;

let opened = null;
/** One for all faults. */
export function faultWorld(world) {
  opened ??= open(world);
  return opened;
}

export async function closeFaultWorld() {
  const faults = await opened?.catch(() => null);
  await faults?.runner.stop();
  await faults?.daemon.stop();
}

async function open({ directory, runOf }) {
  const daemon = new OwnDaemon(join(directory, "own"));
  await daemon.open();
  const disk = new SmallDisk(join(directory, "faults-data"), RUNNER_DISK_MB);
  const runner = new Runner(join(disk.folder, "data"), { DOCKER_HOST: daemon.host });
  await runner.start();
  return { daemon, disk, runner, runOf, folder: join(directory, "fault-tasks"), runs: 0 };
}

/**
 * A task that its solution solves: the right reward is 1. Its tests write 0 first, as many do, so that whatever ends them
 * early leaves a reward that nobody earned.
 */
export function workTask(
  { folder },
  name,
  { agentS = 0, testS = 0, solve, test, config = CONFIG } = {},
) {
  return makeTask(folder, name, {
    config,
    solve: solve ?? `sleep ${agentS}; echo repaired > /app/answer`,
    test:
      test ??
      `echo 0 > /logs/verifier/reward.txt; sleep ${testS}
if [ "$(cat /app/answer)" = repaired ]; then echo 1 > /logs/verifier/reward.txt; fi`,
  });
}

/** Names of scripts whose processes say that a sandbox is in a phase. */
export const AGENT_WORKS = "solve.sh";
export const TESTS_RUN = "/tests/test.sh";

/** Containers of a run's sandboxes, less those that look at networks. */
async function sandboxesOf({ daemon: { docker } }, runId, labels = []) {
  const found = await docker.listContainers({
    filters: { label: [`liverl.dev/run=${runId}`, ...labels] },
  });
  return found
    .filter(({ Names }) => !Names[0].endsWith("-watch"))
    .map(({ Id }) => docker.getContainer(Id));
}

/** Host's process ids of a script in a container. */
async function pidsOf(container, script) {
  const { Titles, Processes } = await container.top();
  const [pid, command] = [Titles.indexOf("PID"), Titles.indexOf("CMD")];
  return Processes.filter((row) => row[command].split(" ")[1]?.endsWith(script)).map((row) =>
    Number(row[pid]),
  );
}

/** Strikes each first attempt as it comes to run a script: on a busy machine they come one after the other. */
async function strikeEach(faults, runId, script, act) {
  const struck = new Map();
  await until(
    async () => {
      for (const one of await sandboxesOf(faults, runId, ["liverl.dev/attempt=1"])) {
        if (struck.has(one.id)) continue;
        const pids = await pidsOf(one, script).catch(() => []);
        if (pids.length > 0) struck.set(one.id, act(one, { ...faults, pids }));
      }
      return struck.size === STRUCK;
    },
    { what: `${script} in each sandbox`, timeoutMs: PHASE_MS, everyMs: 50 },
  );
  await Promise.all(struck.values());
}

async function untilAllRun(faults, runId, script) {
  await until(
    async () => {
      const containers = await sandboxesOf(faults, runId);
      if (containers.length < STRUCK) return false;
      const pids = await Promise.all(
        containers.map((container) => pidsOf(container, script).catch(() => [])),
      );
      return pids.every((each) => each.length > 0);
    },
    { what: `${script} in every sandbox`, timeoutMs: PHASE_MS, everyMs: 50 },
  );
}

async function untilSaid({ runner }, runId, words) {
  const step = join(runner.dataDir, "harbor_trials/docker", runId, "step_1");
  const logs = () =>
    (existsSync(step) ? readdirSync(step) : []).map((trial) => {
      const path = join(step, trial, "trial.log");
      return existsSync(path) ? readFileSync(path, "utf8") : "";
    });
  await until(() => logs().some((log) => log.includes(words)), {
    what: words,
    timeoutMs: PHASE_MS,
    everyMs: 5,
  });
}

/** What each attempt of a rollout came to, by its folder; null where it could not be written. */
function attemptsOf({ runner }, runId, { rolloutId, attempt }) {
  return Array.from({ length: attempt }, (_, at) => {
    const name = `${rolloutId}-a${at + 1}/result.json`;
    const path = join(runner.dataDir, "harbor_trials/docker", runId, "step_1", name);
    if (!existsSync(path)) return null;
    const { exception_info, verifier_result } = JSON.parse(readFileSync(path, "utf8"));
    return { error: exception_info?.exception_type, rewards: verifier_result?.rewards ?? null };
  });
}

export async function nameRun(faults, agent, more = {}) {
  const runId = `faults-${++faults.runs}`;
  const { status, content } = await faults.runner.register(runId, {
    ...faults.runOf(agent),
    concurrency: 2 * STRUCK,
    ...more,
  });
  demand(status === 200, `the run was refused: ${JSON.stringify(content)}`);
  return runId;
}

/** Trials of another run on the same daemon, which no fault strikes: their right rewards are 1 and 0. */
async function honestTrials(faults) {
  const runId = await nameRun(faults, "oracle");
  const solved = workTask(faults, "honest-solved");
  const unsolved = workTask(faults, "honest-unsolved", { solve: "true" });
  const results = await Promise.all(
    [solved, unsolved].map((task, at) => faults.runner.rollout(rolloutOf(runId, task, at))),
  );
  demand(
    results[0].reward === 1 && results[1].reward === 0,
    `honest trials have wrong rewards: ${results.map(tell)}`,
  );
  return results.length;
}

/**
 * Plays a fault: `strike` comes when every trial runs `phase`, or one of them has said `words`; `each` to each sandbox when it does.
 *   ends      the rewards that struck trials may have at last: 1, or null where the fault goes on
 *   errors    what an attempt that it struck may end with
 *   survives  whether an attempt may go on as if nothing had been
 *   isSeen    whether it has to be told by one of them at least
 *   isLonely  whether no trial can run beside it; honest ones come after `mend`
 */
export async function playFault(world, fault) {
  const faults = await faultWorld(world);
  const { agent = "oracle", task, phase, words, strike, each, mend, ends, run } = fault;
  const { isLonely = false } = fault;
  const runId = await nameRun(faults, agent, run);
  const asked = Array.from({ length: STRUCK }, (_, at) =>
    faults.runner.rollout(rolloutOf(runId, task(faults), at)),
  );
  if (each) await strikeEach(faults, runId, phase, each);
  else if (phase) await untilAllRun(faults, runId, phase);
  if (words) await untilSaid(faults, runId, words);
  await strike?.({ ...faults, runId });
  const beside = isLonely ? 0 : await honestTrials(faults);
  const results = await Promise.all(asked);
  await mend?.({ ...faults, runId });
  const honest = isLonely ? await honestTrials(faults) : beside;
  const figures = judge(faults, runId, fault, results);
  for (const result of results)
    demand(
      ends.includes(result.reward),
      `${fault.fault}: ${tell(result)} ${JSON.stringify(figures)}`,
    );
  return { ...figures, honest };
}

function judge(faults, runId, given, results) {
  const { fault, errors: allowed, survives = false, isSeen = !survives } = given;
  const errors = {};
  let rewards = 0;
  for (const result of results) {
    const attempts = attemptsOf(faults, runId, result);
    for (const attempt of attempts) {
      if (attempt?.error) errors[attempt.error] = (errors[attempt.error] ?? 0) + 1;
      const isWrong =
        attempt?.rewards && (attempt.rewards.reward !== 1 || allowed.includes(attempt.error));
      if (isWrong) rewards++;
    }
    const [struck] = attempts;
    demand(
      survives || allowed.includes(struck?.error) || struck === null,
      `${fault}: an attempt that it struck ended with ${JSON.stringify(struck)}: ${tell(result)}`,
    );
  }
  const retried = results.filter(({ attempt }) => attempt > 1).length;
  const figures = { fault, trials: results.length, rewards, errors, retried };
  demand(rewards === 0, `a fault became a reward: ${JSON.stringify(figures)}`);
  demand(
    !isSeen || Object.keys(errors).length > 0,
    `nobody told of it: ${JSON.stringify(figures)}`,
  );
  const odd = Object.keys(errors).filter((type) => !allowed.includes(type));
  demand(odd.length === 0, `errors that say something else: ${JSON.stringify(figures)}`);
  return figures;
}

/** What was left to the reaper is gone, too. */
export async function nothingIsLeft(world) {
  const { daemon, runner } = await faultWorld(world);
  const containersOf = (instance) =>
    daemon.docker.listContainers({
      all: true,
      filters: { label: [`liverl.dev/instance=${instance}`] },
    });
  await until(async () => (await containersOf(runner.instance())).length === 0, {
    what: "the reaper",
    timeoutMs: REAP_MS,
  }).catch(() => noneLeft({ runner, containersOf }));
  return { left: 0 };
}
