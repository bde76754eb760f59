// Many trials at once, and a runner that is killed among them.
import { quantile, until } from "../../../bench/liverl.mjs";
import { demand, noneLeft, readText, rolloutOf, tell } from "./rollouts.mjs";

/** Start and stop of a sandbox, over the same of a bare container at the same width; and alone, in ms. */
const MOST_OVER_BARE = 1.3;
const MOST_ALONE_MS = 600;
const ALONE = 10;

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
  const spans = results.map((result) => startAndStop(readText(runner, runId, result, "trial.log")));
  const bare = await bareLoop({ count: trials, width: width, image: image });
  const p50 = (values) => Math.round(quantile(values, 0.5));
  const figures = {
    trials: trials,
    atOnce: width,
    wallS: Math.round(wallS * 10) / 10,
    trialMsP50: p50(ms),
    startMsP50: p50(spans.map(({ startMs }) => startMs)),
    stopMsP50: p50(spans.map(({ stopMs }) => stopMs)),
    startAndStopMsP50: p50(spans.map(({ startMs, stopMs }) => startMs + stopMs)),
    bareMsP50: p50(bare),
  };
  demand(
    figures.startAndStopMsP50 <= MOST_OVER_BARE * figures.bareMsP50,
    `start and stop take more than ${MOST_OVER_BARE} bare loops: ${JSON.stringify(figures)}`,
  );
  return figures;
}

export async function oneAtATime(world) {
  const { bareLoop, image, registerRun, runner, tasks } = world;
  const runId = await registerRun("oracle");
  const spans = [];
  for (let at = 0; at < ALONE; at++) {
    const result = await runner.rollout(rolloutOf(runId, tasks[at % tasks.length].folder, at));
    demand(result.reward === 1, `a trial failed: ${tell(result)}`);
    const { startMs, stopMs } = startAndStop(readText(runner, runId, result, "trial.log"));
    spans.push(startMs + stopMs);
  }
  const bare = await bareLoop({ count: ALONE, width: 1, image });
  const figures = {
    startAndStopMsP50: Math.round(quantile(spans, 0.5)),
    bareMsP50: Math.round(quantile(bare, 0.5)),
  };
  demand(
    figures.startAndStopMsP50 <= MOST_ALONE_MS,
    `start and stop take more than ${MOST_ALONE_MS} ms: ${JSON.stringify(figures)}`,
  );
  return figures;
}

/** By the trial's own log. */
function startAndStop(log) {
  const at = (words) => {
    const line = log.split("\n").find((each) => each.includes(words));
    demand(line, `trial.log does not say "${words}": ${log}`);
    return Date.parse(line.split(" ")[0]);
  };
  return {
    startMs: at("has started") - at("The sandbox is made"),
    stopMs: at("The sandbox is gone") - at("The sandbox is removed"),
  };
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
