// `npm run gate -- --data-dir D --model DIR [--most 20] [--width 4] FOLDER`: has a running LiveRL play tasks of a folder in
// Harbor's format with the agents oracle and nop. A task that its own solution does not solve is broken; one that rewards
// doing nothing checks nothing. Preflight reads the outcome from D/gates. Nothing is sampled: the model only renders.
// Prints one JSON object last. Exit code 0 when every task that was played is sound.
import { createHash, randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

const USAGE = "npm run gate -- --data-dir .liverl --model DIR [--most 20] [--width 4] FOLDER";
const AWAY_MS = 60_000;

function stop(why) {
  process.stderr.write(`${why}\n`);
  process.exit(2);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "data-dir": { type: "string", default: ".liverl" },
    model: { type: "string" },
    most: { type: "string", default: "20" },
    width: { type: "string", default: "4" },
    timeout: { type: "string", default: "1200" },
  },
});
const [given] = positionals;
if (!given || !values.model) stop(USAGE);
if (!existsSync(given)) stop(`There is no folder ${given}.`);
const dataDir = resolve(values["data-dir"]);
if (!existsSync(join(dataDir, "runner/port")))
  stop(`No LiveRL runs on ${dataDir}: start it, or name its folder as --data-dir.`);
const folder = realpathSync(given);
/** One of several steps has their instructions below `steps/`. */
const isTask = (name) =>
  existsSync(join(folder, name, "task.toml")) &&
  ["instruction.md", "steps"].some((part) => existsSync(join(folder, name, part)));
const names = readdirSync(folder).filter(isTask).sort();
if (names.length === 0)
  stop(`${folder} has no folder with a task.toml and an instruction.md, or steps.`);

/** As many as are asked for, evenly over the folder. */
const most = Math.min(names.length, Math.max(1, Number(values.most) || names.length));
const chosen = Array.from({ length: most }, (_, i) => names[Math.floor((i * names.length) / most)]);

async function ask(method, path, body) {
  for (let awayMs = 0; ; awayMs += 1_000) {
    const read = (name) => readFileSync(join(dataDir, "runner", name), "utf8").trim();
    try {
      const answer = await fetch(`http://127.0.0.1:${read("port")}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${read("admin.token")}`,
          "content-type": "application/json",
        },
        body: body && JSON.stringify(body),
      });
      const text = await answer.text();
      if (answer.status < 500) return { status: answer.status, content: JSON.parse(text || "{}") };
    } catch (error) {
      if (awayMs > AWAY_MS)
        stop(`The trial runner of ${dataDir} does not answer: ${error.message}`);
    }
    await sleep(1_000);
  }
}

const id = randomBytes(4).toString("hex");

async function play(agent) {
  const runId = `gate-${agent}-${id}`;
  const { status, content } = await ask("PUT", `/api/v1/runs/${runId}`, {
    project: "gates",
    pool: {
      ...{ engines: [], relay: true, engineKeyPath: null },
      ...{ modelDir: resolve(values.model), modelName: "none", maxModelLen: 32_768 },
    },
    ...{ concurrency: Math.max(1, Number(values.width) || 4), maxTurns: 1 },
    ...{ rolloutTimeoutS: Number(values.timeout) || 1_200, agent },
  });
  if (status >= 400) stop(`The runner refuses: ${content.message ?? JSON.stringify(content)}`);
  const outcomes = await Promise.all(chosen.map((name, at) => outcomeOf(runId, name, at)));
  await ask("DELETE", `/api/v1/runs/${runId}`);
  return Object.fromEntries(outcomes);
}

async function outcomeOf(runId, name, at) {
  const request = {
    ...{ rolloutId: `${runId}-${at}`, runId, groupId: `${runId}-${at}` },
    ...{ taskRef: `harbor:${join(folder, name)}`, mode: "eval", step: 0 },
    sampling: { temperature: 1, max_tokens: 1 },
  };
  for (;;) {
    const { status, content } = await ask("POST", "/api/v1/rollouts?wait=30", request);
    if (status === 202) continue;
    const error = content.error?.exception_message ?? content.message ?? null;
    const reward = status === 200 ? content.reward : null;
    process.stderr.write(`${runId} ${name}: ${reward ?? `no reward, ${error}`}\n`);
    return [name, { reward, error: reward === null ? error : null }];
  }
}

const oracle = await play("oracle");
const nop = await play("nop");
const record = { folder, at: new Date().toISOString(), tasks: names.length, oracle, nop };
const place = join(
  dataDir,
  "gates",
  `${createHash("sha256").update(folder).digest("hex").slice(0, 16)}.json`,
);
mkdirSync(join(dataDir, "gates"), { recursive: true });
writeFileSync(`${place}.new`, `${JSON.stringify(record, null, 2)}\n`);
renameSync(`${place}.new`, place);
const unsolved = chosen.filter((name) => oracle[name].reward !== 1);
const rewarded = chosen.filter((name) => nop[name].reward !== 0);
const ok = unsolved.length === 0 && rewarded.length === 0;
process.stdout.write(
  `${JSON.stringify({ name: "gate", ok, played: chosen.length, unsolved, rewarded, place })}\n`,
);
process.exit(ok ? 0 : 1);
