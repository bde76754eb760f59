// `npm run gate -- --data-dir D --model DIR [--most 20] [--width 4] FOLDER`: has a running LiveRL play tasks of a folder in
// Harbor's format with the agents oracle and nop. A task that its own solution does not solve is broken; one that rewards
// doing nothing checks nothing. Preflight reads the outcome from D/gates. Nothing is sampled: the model only renders.
// Prints one JSON object last. Exit code 0 when every task that was played is sound.
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readNumber, readOptions, stop } from "./read-options.mjs";
import { tasksIn } from "./task-folders.mjs";
import { indent, onInterrupt, TrialRunner, verifierTail } from "./trial-runner.mjs";

const USAGE = `npm run gate -- --model DIR [--data-dir .liverl] [--most 20] [--width 4] [--timeout 1200] FOLDER
plays tasks in Harbor's format with the agents oracle and nop, and names those that are broken.
  FOLDER      has the tasks' folders
  --model     folder of the run's tokenizer and chat template; without a model: .liverl/runs/quickstart-01/model
  --data-dir  of the LiveRL that runs
  --most      tasks that are played, evenly over the folder
  --width     trials at once
  --timeout   seconds of a trial`;
const PROJECT = "gates";
/** What each agent's trial of a sound task comes to. */
const SOUND = { oracle: 1, nop: 0 };

const { values, positionals } = readOptions(USAGE, {
  "data-dir": { type: "string", default: ".liverl" },
  model: { type: "string" },
  most: { type: "string", default: "20" },
  width: { type: "string", default: "4" },
  timeout: { type: "string", default: "1200" },
});
const [given] = positionals;
if (!given || !values.model) stop(USAGE);
if (positionals.length > 1) stop("Give one folder of tasks: its outcome is kept by its name.");
const concurrency = readNumber(values, "width");
const rolloutTimeoutS = readNumber(values, "timeout");
const { folder, names } = tasksIn(given);
const runner = new TrialRunner(values["data-dir"]);

/** As many as are asked for, evenly over the folder. */
const most = Math.min(names.length, readNumber(values, "most"));
const chosen = Array.from({ length: most }, (_, i) => names[Math.floor((i * names.length) / most)]);
const id = randomBytes(4).toString("hex");
const runOf = (agent) => `gate-${agent}-${id}`;

async function play(agent) {
  const runId = runOf(agent);
  const refused = await runner.register(runId, {
    project: PROJECT,
    pool: {
      ...{ engines: [], relay: true, engineKeyPath: null },
      ...{ modelDir: resolve(values.model), modelName: "none", maxModelLen: 32_768 },
    },
    ...{ concurrency, maxTurns: 1, rolloutTimeoutS, agent },
  });
  if (refused !== null) stop(`The trial runner refuses: ${refused}`);
  const outcomes = await Promise.all(chosen.map((name, at) => outcomeOf(agent, runId, name, at)));
  await runner.remove(runId);
  return Object.fromEntries(outcomes);
}

async function outcomeOf(agent, runId, name, at) {
  const outcome = await runner.play({
    ...{ rolloutId: `${runId}-${at}`, runId, groupId: `${runId}-${at}` },
    ...{ taskRef: `harbor:${join(folder, name)}`, mode: "eval", step: 0 },
    sampling: { temperature: 1, max_tokens: 1 },
  });
  tell(agent, name, outcome);
  return [name, { reward: outcome.reward, error: outcome.error }];
}

/** One line where all is well; else also where to look. */
function tell(agent, name, { reward, error, folder }) {
  const isSound = reward === SOUND[agent];
  const lines = [`${agent} ${name}: ${reward ?? `no reward, ${error}`}`];
  if (!isSound && folder !== null) {
    const said = verifierTail(folder);
    lines.push(indent(folder), ...(said === "" ? [] : [indent(said)]));
  }
  process.stderr.write(`${lines.join("\n")}\n`);
}

onInterrupt(async () => {
  await Promise.all(Object.keys(SOUND).map((agent) => runner.remove(runOf(agent))));
  process.exit(130);
});
const oracle = await play("oracle");
const nop = await play("nop");
const record = { folder, at: new Date().toISOString(), tasks: names.length, oracle, nop };
const gates = join(runner.dataDir, "gates");
const digest = createHash("sha256").update(folder).digest("hex").slice(0, 16);
const place = join(gates, `${digest}.json`);
mkdirSync(gates, { recursive: true });
writeFileSync(`${place}.new`, `${JSON.stringify(record, null, 2)}\n`);
renameSync(`${place}.new`, place);
const isOther = (reward, wanted) => reward !== null && reward !== wanted;
const failed = chosen.filter((name) => oracle[name].reward === null || nop[name].reward === null);
const unsolved = chosen.filter((name) => isOther(oracle[name].reward, SOUND.oracle));
const rewarded = chosen.filter((name) => isOther(nop[name].reward, SOUND.nop));
const ok = [failed, unsolved, rewarded].every(({ length }) => length === 0);
process.stdout.write(
  `${JSON.stringify({ name: "gate", ok, played: chosen.length, unsolved, rewarded, failed, place })}\n`,
);
process.exit(ok ? 0 : 1);
