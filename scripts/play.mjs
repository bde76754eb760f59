// `npm run play -- --engine URL --model DIR FOLDER…`: has a running LiveRL play tasks in Harbor's format with an agent against an
// engine, without a trainer. The trials are those of a run that the pages show; it is over when they are.
// Exit code 0 when every trial has a reward, whichever.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { lookAtEngine } from "./look-at-engine.mjs";
import { PlayedRun } from "./played-run.mjs";
import { readNumber, readOptions, stop } from "./read-options.mjs";
import { taskFolders } from "./task-folders.mjs";
import { indent, onInterrupt, TrialRunner } from "./trial-runner.mjs";

const USAGE = `npm run play -- --engine URL --model DIR [--agent mini] [--n 1] [--concurrency 4] FOLDER…
plays tasks in Harbor's format with an agent against an engine.
  FOLDER         a task, or a folder that has tasks; any number
  --engine       address of an engine that takes token ids, as vLLM with --enable-scale-out: http://HOST:PORT
  --engine-key   file with its API key, where it wants one
  --model        folder of its tokenizer and chat template, in Hugging Face's form
  --agent        mini, claude-code, codex, opencode, mini-swe-agent, openhands-sdk, terminus-2, or module.path:ClassName
  --n            trials of each task
  --concurrency  trials at once
  --temperature  1
  --max-tokens   of one answer; 4096
  --max-turns    of a trial; 100
  --timeout      seconds of a trial's agent; 3600
  --project      that the run is shown in; play
  --data-dir     of the LiveRL that runs; .liverl
  --json         the last line is one JSON object, all else goes to stderr`;

const { values, positionals } = readOptions(USAGE, {
  engine: { type: "string" },
  "engine-key": { type: "string" },
  model: { type: "string" },
  agent: { type: "string", default: "mini" },
  n: { type: "string", default: "1" },
  concurrency: { type: "string", default: "4" },
  temperature: { type: "string", default: "1" },
  "max-tokens": { type: "string", default: "4096" },
  "max-turns": { type: "string", default: "100" },
  timeout: { type: "string", default: "3600" },
  project: { type: "string", default: "play" },
  "data-dir": { type: "string", default: ".liverl" },
  json: { type: "boolean", default: false },
});
const say = (line) => (values.json ? process.stderr : process.stdout).write(`${line}\n`);

function readPaths() {
  if (!values.engine)
    stop(
      "--engine is missing: play needs an engine that samples, as vLLM's address. Without one, npm run gate plays tasks with oracle and nop.",
    );
  if (!values.model)
    stop("--model is missing: give the folder of the engine's tokenizer and chat template.");
  if (positionals.length === 0) stop("Give a folder of tasks. --help tells the options.");
  for (const name of ["model", "engine-key"])
    if (values[name] && !existsSync(values[name])) stop(`--${name}: there is no ${values[name]}.`);
  const keyPath = values["engine-key"] ? resolve(values["engine-key"]) : null;
  return { modelDir: resolve(values.model), keyPath };
}

const { modelDir, keyPath } = readPaths();
const n = readNumber(values, "n");
const sampling = {
  temperature: readNumber(values, "temperature", { least: 0, isWhole: false }),
  max_tokens: readNumber(values, "max-tokens"),
};
const limits = {
  concurrency: readNumber(values, "concurrency"),
  maxTurns: readNumber(values, "max-turns"),
  rolloutTimeoutS: readNumber(values, "timeout"),
};
const folders = taskFolders(positionals);
const runner = new TrialRunner(values["data-dir"]);
const engine = await lookAtEngine({ given: values.engine, keyPath, modelDir });
const { agent, project } = values;
const name = `${agent.replace(/[^A-Za-z0-9._-]/g, "-")}-${randomBytes(3).toString("hex")}`;
const run = new PlayedRun(runner.dataDir, project, name);
let isCancelled = false;

async function openRun() {
  await run.open({ engine: engine.url, model: modelDir, agent, n, sampling, ...limits });
  const pool = {
    engines: [{ url: engine.url }],
    engineKeyPath: keyPath,
    modelDir,
    modelName: engine.modelName,
    maxModelLen: engine.maxModelLen,
  };
  const refused = await runner.register(run.id, { project, pool, ...limits, agent });
  if (refused === null) return;
  await run.end("failed");
  stop(`The trial runner refuses: ${refused}`);
}

/** `n` trials of a task are a group. */
function requests() {
  return folders.flatMap((folder, task) =>
    Array.from({ length: n }, (_, at) => ({
      rolloutId: `${run.id}-${task}-${at}`,
      runId: run.id,
      groupId: `${run.id}-${task}`,
      taskRef: `harbor:${folder}`,
      ...{ mode: "eval", step: 0, sampling },
    })),
  );
}

async function playOne(request) {
  const { reward, error, folder } = await runner.play(request);
  const task = basename(request.taskRef);
  const url = folder && `${run.url}/traj/${encodeURIComponent(request.rolloutId)}`;
  await run.tell({ reward });
  const outcome = reward === null ? `no reward, ${error}` : `reward ${reward}`;
  say([`${task}: ${outcome}`, ...[url, folder].filter(Boolean).map(indent)].join("\n"));
  return { task, rolloutId: request.rolloutId, reward, error, url, folder };
}

/** The runner always has the next ones; a request for each of thousands at once would be a connection each. */
async function playAll(waiting) {
  const played = [];
  const work = async () => {
    while (waiting.length > 0 && !isCancelled) played.push(await playOne(waiting.shift()));
  };
  await Promise.all(Array.from({ length: 2 * limits.concurrency }, work));
  return played;
}

await openRun();
onInterrupt(() => {
  isCancelled = true;
  void runner.remove(run.id);
});
say(`${run.url}/rollouts`);
const trials = await playAll(requests());
await runner.remove(run.id);
const ok = !isCancelled && trials.every(({ reward }) => reward !== null);
await run.end(isCancelled ? "cancelled" : ok ? "succeeded" : "failed");
const rewarded = trials.filter(({ reward }) => reward !== null).length;
say(`${rewarded} of ${trials.length} trials have a reward; its mean is ${run.mean ?? "unknown"}.`);
if (values.json) {
  const told = { name: "play", ok, runId: run.id, url: run.url, reward: run.mean, trials };
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
process.exit(ok ? 0 : 1);
