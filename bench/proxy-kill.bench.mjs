// SIGKILL of the proxy at random moments, under the load of `bench -- proxy` (chats that grow by 4.8 KB of real text a turn, to 60k tokens):
// `--kills N` (100), `--sessions N` (8), `--seed N`. It is started again on the same folder each time; agents ask again until they are
// answered. In the end every turn that an agent was answered is looked for in the trajectories: its text, and each id and log-prob as
// the engine sampled it, on the branch of the turns that followed. Prints one JSON object last; exit 0 only if none is lost or altered.
import { Agent, request as send } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { benchModel, wordTokens } from "./bench-model.mjs";
import { quantile, report, say } from "./liverl.mjs";
import { makeDirectory, ProxyProcess, removeDirectory, startEngine } from "./proxy-process.mjs";
import { randomOf, turnText } from "./turn-text.mjs";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    sessions: { type: "string", default: "8" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean" },
  },
});
const KILLS = Number(values.kills);
const SESSIONS = Number(values.sessions);
const TURNS = 50;
const CHARACTERS = 4800;
const LONGEST_LIFE_MS = 1200;
const GIVE_UP_MS = 600_000;
const random = randomOf(Number(values.seed));

const directory = makeDirectory();
const engine = await startEngine(directory, "--log");
const proxy = new ProxyProcess(directory);
await proxy.start();
await proxy.putPool(engine.url);
const agent = new Agent({ keepAlive: true, maxSockets: SESSIONS });
let isOver = false;
let asked = 0;
let askedAgain = 0;
const outcomes = { answered: 0, lost: [], altered: [] };
const trajectories = [];

function post({ url, key }, body, retries) {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      authorization: `Bearer ${key}`,
      "x-stainless-retry-count": String(retries),
    };
    const request = send(
      `${url}/chat/completions`,
      { method: "POST", agent, headers },
      (response) => {
        let said = "";
        response.setEncoding("utf8");
        response.on("data", (part) => {
          said += part;
        });
        response.on("end", () => resolve({ status: response.statusCode, said }));
        response.on("error", reject);
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

/** Again and again, as an agent's SDK does, until the proxy is there and does it. */
async function insist(what, act) {
  const deadline = Date.now() + GIVE_UP_MS;
  for (let retries = 0; ; retries++) {
    let why;
    try {
      const done = await act(retries);
      if (done.status === undefined || done.status === 200) return done;
      if (done.status < 500 && done.status !== 429)
        throw Object.assign(new Error(`${done.status} ${done.said}`), { isFinal: true });
      why = done.said;
    } catch (error) {
      if (error.isFinal) throw error;
      why = error.message;
    }
    askedAgain += 1;
    if (Date.now() > deadline) throw new Error(`${what}: ${why}`);
    await sleep(Math.min(30 * (retries + 1), 500));
  }
}

/** One agent's chat to its end; what it was answered is compared with what was kept. */
async function chat(name) {
  const session = await insist(`open ${name}`, () => proxy.openSession(name));
  const answers = [];
  let history = '{"role":"system","content":"You are a coding agent."}';
  for (let turn = 0; turn < TURNS && !isOver; turn++) {
    const added = turnText("realistic", CHARACTERS, asked++);
    history += `,{"role":"user","content":${JSON.stringify(`turn ${turn} of ${name}: ${added}`)}}`;
    const body = `{"model":"mock","messages":[${history}]}`;
    const { said } = await insist(`turn ${turn} of ${name}`, (retries) =>
      post(session, body, retries),
    );
    const { id, choices, usage } = JSON.parse(said);
    const [{ message }] = choices;
    answers.push({
      callId: Number(id.slice(id.lastIndexOf("-") + 1)),
      text: message.content,
      usage,
    });
    history += `,{"role":"assistant","content":${JSON.stringify(message.content)}}`;
    outcomes.answered += 1;
  }
  const trajectory = await insist(`complete ${name}`, () => proxy.completeSession(name));
  trajectories.push({ name, answers, trajectory });
}

const agents = Array.from({ length: SESSIONS }, async (_, lane) => {
  for (let round = 0; !isOver; round++) await chat(`kill-${lane}-${round}`);
});
let broken = null;
for (const one of agents)
  one.catch((error) => {
    broken ??= error;
  });

const startMs = [];
for (let kill = 1; kill <= KILLS && broken === null; kill++) {
  // Four in five die at work, the others perhaps while they read what the one before left.
  const answered = outcomes.answered;
  const deadline = Date.now() + GIVE_UP_MS;
  while (
    kill % 5 !== 0 &&
    outcomes.answered === answered &&
    broken === null &&
    Date.now() < deadline
  )
    await sleep(5);
  await sleep(random() * LONGEST_LIFE_MS);
  await proxy.kill();
  const began = performance.now();
  await proxy.start();
  startMs.push(performance.now() - began);
  if (kill % 10 === 0)
    say(`${kill} kills, ${outcomes.answered} turns answered, ${askedAgain} asked again`);
}
isOver = true;
await Promise.all(agents).catch((error) => {
  broken ??= error;
});
const sampled = await (await fetch(`${engine.url}/log`)).json();
await proxy.stop();
engine.stop();
agent.destroy();

const textOf = new Map(wordTokens(benchModel()).map(({ id, text }) => [id, text]));
const same = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);

/** Why the answered turn is not there as it was answered; null when it is. */
function faultOf({ callId, text, usage }, calls, nodes, path) {
  const call = calls.get(callId);
  const node = nodes.get(call?.sampledNodeId ?? -1);
  if (!call || !node) return "lost";
  const ids = call.requestIds.flatMap((requestId) => sampled[requestId] ?? []);
  const isRight =
    call.status === "done" &&
    node.message.content === text &&
    same(node.tokenIds, ids) &&
    ids.map((id) => textOf.get(id) ?? "").join("") === text &&
    node.logprobs.length === ids.length &&
    node.logprobs.every((logprob, i) => logprob === -((ids[i] % 97) + 1) / 64) &&
    usage.completion_tokens === ids.length;
  if (!isRight) return "altered";
  return path.has(node.id) ? null : "off its branch";
}

let replayed = 0;
const forks = {};
for (const { name, answers, trajectory } of trajectories) {
  const calls = new Map(trajectory.calls.map((call) => [call.id, call]));
  const nodes = new Map(trajectory.nodes.map((node) => [node.id, node]));
  const path = new Set();
  const last = calls.get(answers.at(-1)?.callId)?.sampledNodeId;
  for (let node = nodes.get(last ?? -1); node; node = nodes.get(node.parentId ?? -1))
    path.add(node.id);
  for (const call of trajectory.calls)
    if (call.fork) forks[call.fork.reason] = (forks[call.fork.reason] ?? 0) + 1;
  for (const [turn, answer] of answers.entries()) {
    const fault = faultOf(answer, calls, nodes, path);
    if (fault === "lost") outcomes.lost.push(`${name} turn ${turn}`);
    else if (fault !== null) outcomes.altered.push(`${name} turn ${turn}: ${fault}`);
  }
  replayed += trajectory.calls.length - answers.length;
}
for (const what of [...outcomes.lost, ...outcomes.altered].slice(0, 20)) say(`FAULT ${what}`);
if (broken) say(`FAULT ${broken.message}; the proxy said: ${proxy.said}`);
const checked = trajectories.reduce((sum, { answers }) => sum + answers.length, 0);
const ok =
  broken === null &&
  startMs.length === KILLS &&
  outcomes.lost.length === 0 &&
  outcomes.altered.length === 0 &&
  checked === outcomes.answered;
if (ok) removeDirectory(directory);
else say(`The data is left in ${directory}.`);
report("proxy-kill", {
  ok,
  figures: {
    kills: startMs.length,
    turnsAnswered: outcomes.answered,
    turnsChecked: checked,
    lost: outcomes.lost.length,
    altered: outcomes.altered.length,
    askedAgain,
    callsWithoutAnAnswer: replayed,
    forks,
    sessions: trajectories.length,
    longestPrompt: Math.max(
      ...trajectories.flatMap(({ answers }) => answers.map(({ usage }) => usage.prompt_tokens)),
    ),
    startMs: { p50: Math.round(quantile(startMs, 0.5)), max: Math.round(Math.max(...startMs)) },
    broken: broken?.message ?? null,
  },
  peers: {},
});
