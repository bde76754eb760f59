// What is done to trials in pods, and what becomes of them: a fault strikes when each of them is in a phase.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../../../bench/liverl.mjs";
import { CONFIG, makeTask } from "../../docker/make-tasks.mjs";
import { demand, rolloutOf, tell } from "../../docker/rollouts.mjs";

/** Trials that a fault strikes, at once. */
const STRUCK = 3;
const PHASE_MS = 180_000;
/** From what the log says to what then runs in the pod: some execs. */
const UNDER_WAY_MS = 2_500;
/** A task's own words in its trial's log. */
export const PODS_START = "The sandbox is made";
export const AGENT_WORKS = "The agent oracle starts";
export const TESTS_RUN = "The verifier starts";

/**
 * A task that its solution solves: the right reward is 1. Its tests write 0 first, as many do, so that whatever ends them
 * early leaves a reward that nobody earned.
 */
export const workTask =
  (name, { agentS = 0, testS = 0, solve, test, config = CONFIG } = {}) =>
  ({ directory }) =>
    makeTask(join(directory, "tasks"), name, {
      config,
      solve: solve ?? `sleep ${agentS}; echo repaired > /app/answer`,
      test:
        test ??
        `echo 0 > /logs/verifier/reward.txt; sleep ${testS}
if [ "$(cat /app/answer)" = repaired ]; then echo 1 > /logs/verifier/reward.txt; fi`,
    });

const stepOf = ({ runner }, runId) => join(runner.dataDir, "harbor_trials/docker", runId, "step_1");

async function untilAllSaid(world, runId, words) {
  const step = stepOf(world, runId);
  const isSaid = (trial) => {
    const path = join(step, trial, "trial.log");
    return existsSync(path) && readFileSync(path, "utf8").includes(words);
  };
  await until(() => existsSync(step) && readdirSync(step).filter(isSaid).length >= STRUCK, {
    what: `${STRUCK} trials where ${words}`,
    timeoutMs: PHASE_MS,
    everyMs: 50,
  });
}

/** What each attempt of a rollout came to, by its folder. */
function attemptsOf(world, runId, { rolloutId, attempt }) {
  return Array.from({ length: attempt }, (_, at) => {
    const path = join(stepOf(world, runId), `${rolloutId}-a${at + 1}`, "result.json");
    if (!existsSync(path)) return null;
    const { exception_info, verifier_result } = JSON.parse(readFileSync(path, "utf8"));
    return {
      error: exception_info?.exception_type ?? null,
      reward: verifier_result?.rewards?.reward ?? null,
    };
  });
}

/** The run's pods that are there. */
export async function podsOfRun({ cluster, namespace }, runId) {
  const { items } = await cluster.core.listNamespacedPod({
    namespace,
    labelSelector: `liverl.dev/run=${runId}`,
  });
  return items;
}

/**
 * Plays a fault.
 *   phase     what the log of each trial says before `strike`
 *   ends      the reward of every trial at last: 1, or null where the fault goes on
 *   errors    what an attempt that it struck may end with
 *   survives  whether an attempt may go on as if nothing had been
 *   says      what the last error has to tell, where it ends with none
 */
export const playFault = (fault) => async (world) => {
  const { task, phase, strike, mend, ends, says } = fault;
  const runId = await world.registerRun("oracle", { concurrency: STRUCK });
  const folder = task(world);
  const struck = { ...world, runId };
  try {
    if (!phase) await strike?.(struck);
    const asked = Array.from({ length: STRUCK }, (_, at) =>
      world.runner.rollout(rolloutOf(runId, folder, at)),
    );
    if (phase) {
      await untilAllSaid(world, runId, phase);
      if (phase !== PODS_START) await sleep(UNDER_WAY_MS);
      await strike(struck);
    }
    const results = await Promise.all(asked);
    const figures = judge(world, runId, fault, results);
    for (const result of results) {
      demand(result.reward === ends, `${fault.fault}: ${tell(result)} ${JSON.stringify(figures)}`);
      demand(!says || says.test(result.error.exception_message), `it says: ${tell(result)}`);
    }
    return figures;
  } finally {
    await mend?.(struck);
    await world.noneLeft();
  }
};

/** `retried`: trials that a later attempt brought to their right reward. */
function judge(world, runId, { fault, errors: allowed, survives = false }, results) {
  const errors = {};
  let rewards = 0;
  for (const result of results) {
    const attempts = attemptsOf(world, runId, result);
    for (const attempt of attempts) {
      if (attempt?.error) errors[attempt.error] = (errors[attempt.error] ?? 0) + 1;
      const isWrong = attempt?.reward !== null && attempt?.reward !== undefined;
      if (isWrong && (attempt.reward !== 1 || attempt.error !== null)) rewards++;
    }
    const [first] = attempts;
    demand(
      survives || first === null || allowed.includes(first.error),
      `${fault}: what it struck ended with ${JSON.stringify(first)}: ${tell(result)}`,
    );
  }
  const retried = results.filter(({ attempt, reward }) => attempt > 1 && reward === 1).length;
  const figures = { fault, trials: results.length, rewards, errors, retried };
  demand(rewards === 0, `a fault became a reward: ${JSON.stringify(figures)}`);
  const odd = Object.keys(errors).filter((type) => !allowed.includes(type));
  demand(odd.length === 0, `errors that say something else: ${JSON.stringify(figures)}`);
  return figures;
}
