// Many trials at once, and a runner that is killed among them.
import { quantile, until } from "../../../bench/liverl.mjs";
import { demand, noneLeft, rolloutOf, tell } from "./rollouts.mjs";

const MOST_BARE_LOOPS = 8;

export async function manyTrials(world) {
  const { bareLoop, image, registerRun, runner, tasks, trials, width } = world;
  const runId = await registerRun("oracle");
  const began = performance.now();
  const results = await Promise.all(
    Array.from({ length: trials }, (_, at) =>
      runner.rollout(rolloutOf(runId, tasks[at % tasks.length].folder, at)),
    ),
  );
  const wallS = (performance.now() - began) / 1_000;
  for (const result of results) demand(result.reward === 1, `a trial failed: ${tell(result)}`);
  await noneLeft(world);
  const ms = results.map(({ timings: t }) => (t.setupS + t.agentS + t.verifyS) * 1_000);
  const bare = await bareLoop({ count: trials, width: width, image: image });
  const figures = {
    trials: trials,
    atOnce: width,
    wallS: Math.round(wallS * 10) / 10,
    trialMsP50: Math.round(quantile(ms, 0.5)),
    bareMsP50: Math.round(quantile(bare, 0.5)),
    overheadMsP50: Math.round(quantile(ms, 0.5) - quantile(bare, 0.5)),
  };
  // A trial starts its container twice, runs the agent and the tests, and copies files four times.
  demand(
    figures.trialMsP50 < MOST_BARE_LOOPS * figures.bareMsP50,
    `a trial takes more than ${MOST_BARE_LOOPS} bare loops: ${JSON.stringify(figures)}`,
  );
  return figures;
}

export async function survivesKill(world) {
  const { containersOf, registerRun, runner, tasks, trials, width } = world;
  const runId = await registerRun("oracle");
  const asked = Array.from({ length: trials }, (_, at) =>
    runner.rollout(rolloutOf(runId, tasks[at % tasks.length].folder, at)),
  );
  await until(
    async () => (await containersOf(runner.instance())).length >= Math.min(width, trials),
    {
      what: "trials at work",
      everyMs: 20,
    },
  );
  await runner.kill();
  const orphans = (await containersOf(runner.instance())).length;
  demand(orphans > 0, "nothing ran when the runner was killed");
  await runner.start();
  const results = await Promise.all(asked);
  const again = results.filter(({ attempt }) => attempt > 1).length;
  for (const result of results) demand(result.reward === 1, `after the kill: ${tell(result)}`);
  await noneLeft(world);
  return { trials: trials, orphansAtKill: orphans, startedAgain: again, left: 0 };
}
