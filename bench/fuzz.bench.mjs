// Fuzz of the dialects over keep-alive connections to the built proxy: `--count N` (1,000,000) damaged and valid bodies of OpenAI chat and
// Responses and Anthropic Messages, in sessions that come and go; `--seed N` (0) is the number of the first. Nothing may crash, hang or answer
// 5xx (but 503 with Retry-After), every stream has an end, memory stays flat, and a body gets the same status in a session with a history
// as in a new one. What fails is made small and printed. Prints one JSON object last; exit 0 only when nothing failed.

import { writeFileSync } from "node:fs";
import { Agent, request as send } from "node:http";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { faultOf } from "../dist/fuzz-fault.mjs";
import { fuzzRequest } from "../dist/fuzz-request.mjs";
import { benchModel, speller } from "./bench-model.mjs";
import { quantile, report, say } from "./liverl.mjs";
import { minimise } from "./minimise.mjs";
import { processCost } from "./process-cost.mjs";
import { makeDirectory, ProxyProcess, removeDirectory, startEngine } from "./proxy-process.mjs";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "1000000" },
    seed: { type: "string", default: "0" },
    json: { type: "boolean" },
  },
});
const COUNT = Number(values.count);
const FIRST = Number(values.seed);
const CONNECTIONS = 24;
const PER_SESSION = 240;
/** One in so many is sent to a new session, too. */
const TWICE = 50;
const HANG_MS = 20_000;
/** What takes longer beside others is asked again alone. */
const SLOW_MS = 500;
const SHOWN = 12;
const PATHS = ["/chat/completions", "/responses", "/messages", "/messages/count_tokens"];
const TURNS = [
  "It is done.",
  "<think>\nI look.\n</think>\n\nI will read it.",
  '<tool_call>\n{"name": "read", "arguments": {"path": "src/main.py", "lines": 5e3}}\n</tool_call>',
  'Two.\n<tool_call>\n{"name": "read", "arguments": {}}\n</tool_call>\n<tool_call>\n{"name": "write", "arguments": {"a": [1]}}\n</tool_call>',
  '<tool_call>\n{"name": "read", "arguments": {"path": "unfini',
  "你好 🧪 é\u0000\n###\n\nHuman:",
];

const directory = makeDirectory();
const turnsFile = join(directory, "turns.json");
writeFileSync(turnsFile, JSON.stringify(TURNS.map(speller(benchModel()))));
const engine = await startEngine(directory, "--turns", turnsFile);
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
let proxy = new ProxyProcess(directory);
await proxy.start();
await proxy.putPool(engine.url);

function ask({ url, key }, { path, body, headers }) {
  return new Promise((resolve) => {
    const failed = (error) => resolve({ status: 0, headers: {}, text: "", error: error.message });
    const request = send(
      url + path,
      {
        method: "POST",
        agent,
        headers: {
          "content-type": "application/json",
          ...headers,
          "content-length": body.length,
          authorization: `Bearer ${key}`,
        },
      },
      (response) => {
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.on("error", failed);
        response.on("end", () =>
          resolve({
            status: response.statusCode,
            headers: response.headers,
            text: Buffer.concat(parts).toString("utf8"),
          }),
        );
      },
    );
    request.setTimeout(HANG_MS, () => request.destroy(new Error("no answer in 20 s")));
    request.on("error", failed);
    request.end(body);
  });
}
const judged = (answer) => answer.error ?? faultOf(answer);

let opened = 0;
const newSession = () => proxy.openSession(`fuzz-${opened++}`);
/** A session is for so many bodies; half of them are deleted at their end, half completed. */
class Shift {
  #left = PER_SESSION;
  #session = newSession();
  constructor(index) {
    this.index = index;
  }

  async run(work) {
    const session = await this.#session;
    await work(session);
    if (--this.#left > 0 || !proxy.isRunning) return;
    await (this.index % 2 === 0
      ? proxy.deleteSession(session.name)
      : proxy.completeSession(session.name));
    shifts.delete(this.index);
  }
}
const shifts = new Map();
function shiftOf(number) {
  const index = Math.floor(number / PER_SESSION);
  if (!shifts.has(index)) shifts.set(index, new Shift(index));
  return shifts.get(index);
}

const served = await (async () => {
  const session = await newSession();
  const known = [];
  for (const path of PATHS) {
    const { status } = await ask(session, { path, body: Buffer.from("{}"), headers: {} });
    if (status === 404) say(`SKIPPED ${path}: this proxy does not serve it`);
    else known.push(path);
  }
  return known;
})();

const statuses = {};
const faults = [];
const memory = [];
const slow = [];
const inFlight = new Map();
let next = FIRST;
let crashed = null;

async function compareInNewSession(request, first) {
  const session = await newSession();
  const again = await ask(session, request);
  await proxy.deleteSession(session.name);
  // A retry may be answered from what the first try left; a new session has nothing.
  if (judged(again) === null && again.status !== first.status)
    return `status ${first.status} with a history, ${again.status} in a new session`;
  return judged(again);
}

async function one(number, session) {
  const request = fuzzRequest(number, served);
  inFlight.set(number, request);
  const began = performance.now();
  const answer = await ask(session, request);
  const ms = performance.now() - began;
  inFlight.delete(number);
  if (ms > SLOW_MS && slow.length < 1000) slow.push({ number, ms, request });
  statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
  let fault = judged(answer);
  if (fault === null && number % TWICE === 0) fault = await compareInNewSession(request, answer);
  if (fault !== null && faults.length < 1000)
    faults.push({ number, fault, answer: answer.text.slice(0, 300), request });
}

async function worker() {
  while (next < FIRST + COUNT && proxy.isRunning && crashed === null) {
    const number = next++;
    await shiftOf(number).run((session) => one(number, session));
    if (number % Math.max(1, Math.floor(COUNT / 200)) === 0)
      memory.push({ number, mb: processCost(proxy.pid).rssBytes / 2 ** 20 });
    if (number % 50_000 === 0)
      say(
        `${number}: ${JSON.stringify(statuses)}, ${faults.length} faults, ${Math.round(memory.at(-1)?.mb ?? 0)} MB`,
      );
  }
}

const began = performance.now();
await Promise.all(
  Array.from({ length: CONNECTIONS }, () =>
    worker().catch((error) => {
      crashed ??= error.message;
    }),
  ),
);
const seconds = (performance.now() - began) / 1000;
const stallMs = proxy.isRunning ? await proxy.longestStallMs() : null;

if (!proxy.isRunning) {
  crashed = `the proxy ended: ${proxy.said.slice(-1500)}`;
  say(crashed);
  for (const [number, request] of inFlight)
    faults.unshift({ number, fault: "crash", answer: "", request });
}

/** Sends a body alone: to a proxy that is started again whenever it has ended. */
async function faultAlone(request) {
  if (!proxy.isRunning) {
    proxy = new ProxyProcess(directory);
    await proxy.start();
  }
  const answer = await ask(await newSession(), request);
  return proxy.isRunning ? judged(answer) : "crash";
}

const shown = [];
for (const found of faults) {
  const kind = `${found.request.path} ${found.fault}`;
  if (shown.length >= SHOWN || shown.some((one) => one.kind === kind)) continue;
  const { request } = found;
  const repeats = (await faultAlone(request)) !== null;
  const body = repeats
    ? await minimise(
        request.body,
        async (smaller) => (await faultAlone({ ...request, body: smaller })) !== null,
      )
    : request.body;
  const small = body.toString("utf8").slice(0, 4000);
  shown.push({ kind, number: found.number, repeats, body: small, answer: found.answer });
  say(
    `FAULT ${kind}, number ${found.number}, ${repeats ? "alone" : "not alone"}: ${small.slice(0, 1500)}\n  ${found.answer}`,
  );
}

slow.sort((a, b) => b.ms - a.ms);
const slowest = [];
for (const { number, request } of slow.slice(0, 20)) {
  const began = performance.now();
  await faultAlone(request);
  slowest.push({
    number,
    path: request.path,
    bytes: request.body.length,
    aloneMs: Math.round(performance.now() - began),
  });
}
slowest.sort((a, b) => b.aloneMs - a.aloneMs);

/** Half of the samples each: after the first third, in which caches fill. */
const settled = memory.slice(Math.floor(memory.length / 3)).map(({ mb }) => mb);
const [earlier, later] = [
  settled.slice(0, settled.length >> 1),
  settled.slice(settled.length >> 1),
];
const growthMb = Math.round((quantile(later, 0.5) ?? 0) - (quantile(earlier, 0.5) ?? 0));
const isFlat = growthMb <= Math.max(32, 0.1 * (quantile(earlier, 0.5) ?? 0));
await proxy.stop();
engine.stop();
agent.destroy();
removeDirectory(directory);

const bodies = Object.values(statuses).reduce((sum, count) => sum + count, 0);
report("fuzz", {
  ok: crashed === null && faults.length === 0 && isFlat && bodies === COUNT,
  figures: {
    bodies,
    paths: served,
    seconds: Math.round(seconds),
    bodiesPerSecond: Math.round(bodies / seconds),
    statuses,
    crashed,
    faults: faults.length,
    shown,
    longestStallMs: stallMs,
    slowest: slowest.slice(0, 5),
    memoryMb: {
      first: Math.round(memory[0]?.mb ?? 0),
      afterAThird: Math.round(quantile(earlier, 0.5) ?? 0),
      atTheEnd: Math.round(quantile(later, 0.5) ?? 0),
      growthMb,
      isFlat,
    },
  },
  peers: {},
});
