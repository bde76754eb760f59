// What a sandbox costs a trial, against the same of a bare container in the same run: alone and many at once, without a network and with one that is watched.
import { join } from "node:path";
import { quantile } from "../../../bench/liverl.mjs";
import { makeTasks, ONLINE } from "./make-tasks.mjs";
import { demand, readText, rolloutOf, tell } from "./rollouts.mjs";

/** Start and stop of a sandbox, over the same of bare containers at the same width; and alone, in ms. */
const MOST_OVER_BARE = 1.3;
const MOST_ALONE_MS = 600;
/** What looking at the network may cost until an agent starts, beside what Docker's bridge costs. */
const MOST_WATCH_MS = 100;
const ALONE = 10;
const WIDE = 16;
const WIDE_TRIALS = 32;

const p50 = (values) => Math.round(quantile(values, 0.5));
/** What a bare loop is given for what tasks call their network. */
const BARE = { "no-network": { network: "none" }, public: { network: "bridge" } };

/** Trials of the oracle on the five tasks, all of them with the same network. */
async function spansOf({ directory, registerRun, runner, tasks }, network, { count, width }) {
  const online = () => makeTasks(join(directory, "tasks-online"), ONLINE);
  const folders = (network === "public" ? online() : tasks).map(({ folder }) => folder);
  const runId = await registerRun("oracle", { concurrency: width });
  const play = async (at) => {
    const rollout = rolloutOf(runId, folders[at % folders.length], at);
    const result = await runner.rollout(rollout);
    demand(result.reward === 1, `a trial failed: ${tell(result)}`);
    return readSpans(readText(runner, runId, result, "trial.log"));
  };
  const spans = [];
  let next = 0;
  const work = async () => {
    while (next < count) spans.push(await play(next++));
  };
  await Promise.all(Array.from({ length: width }, work));
  return spans;
}

async function figuresOf(world, { count, width }) {
  const figures = {};
  for (const [network, bare] of Object.entries(BARE)) {
    const spans = await spansOf(world, network, { count, width });
    const loop = { count, width, image: world.image, ...bare };
    const bareMs = await world.bareLoop(loop);
    const pairMs = network === "public" ? await world.bareLoop({ ...loop, watched: true }) : bareMs;
    figures[network] = {
      startMsP50: p50(spans.map(({ startMs }) => startMs)),
      stopMsP50: p50(spans.map(({ stopMs }) => stopMs)),
      startAndStopMsP50: p50(spans.map(({ startMs, stopMs }) => startMs + stopMs)),
      untilAgentMsP50: p50(spans.map(({ untilAgentMs }) => untilAgentMs)),
      bareMsP50: p50(bareMs),
      // The least that a sandbox takes: one that has a network is two containers.
      leastMsP50: p50(pairMs),
    };
  }
  const { "no-network": without, public: online } = figures;
  const watchMs =
    online.untilAgentMsP50 - without.untilAgentMsP50 - (online.bareMsP50 - without.bareMsP50);
  return { trials: 2 * count, atOnce: width, ...figures, watchMs };
}

export async function oneAtATime(world) {
  const figures = await figuresOf(world, { count: ALONE, width: 1 });
  for (const network of Object.keys(BARE))
    demand(
      figures[network].startAndStopMsP50 <= MOST_ALONE_MS,
      `start and stop take more than ${MOST_ALONE_MS} ms: ${JSON.stringify(figures)}`,
    );
  demand(
    figures.watchMs <= MOST_WATCH_MS,
    `the watch of a network takes more than ${MOST_WATCH_MS} ms: ${JSON.stringify(figures)}`,
  );
  return figures;
}

export async function manyAtOnce(world) {
  const figures = await figuresOf(world, { count: WIDE_TRIALS, width: WIDE });
  for (const network of Object.keys(BARE))
    demand(
      figures[network].startAndStopMsP50 <= MOST_OVER_BARE * figures[network].leastMsP50,
      `start and stop take more than ${MOST_OVER_BARE} bare loops: ${JSON.stringify(figures)}`,
    );
  return figures;
}

/** By the trial's own log. The end of a sandbox is in two parts: its processes with the tests, its files at last. */
function readSpans(log) {
  const at = (words) => {
    const line = log.split("\n").find((each) => each.includes(words));
    demand(line, `trial.log does not say "${words}": ${log}`);
    return Date.parse(line.split(" ")[0]);
  };
  const ended = at("The verifier: ") - at("The tests have ended");
  return {
    startMs: at("has started") - at("The sandbox is made"),
    stopMs: ended + at(" is gone") - at("The sandbox is removed"),
    untilAgentMs: at("The agent oracle starts") - at("The sandbox is made"),
  };
}
