// The load of the proxy's benches, in a process of its own: agent sessions side by side, each a growing chat of so many turns.
// Reads its plan as JSON from standard input and prints one JSON object:
// {sessions: [{name, url, key}], turns, bytes, form, limitMs, pid}; `pid`: the server whose tree's cost is measured, too.
import { Agent, request as send } from "node:http";
import { text } from "node:stream/consumers";
import { quantile } from "./liverl.mjs";
import { processCost } from "./process-cost.mjs";
import { turnText } from "./turn-text.mjs";

const plan = JSON.parse(await text(process.stdin));
const stop = Date.now() + plan.limitMs;
const agent = new Agent({ keepAlive: true, maxSockets: plan.sessions.length });
const times = [];
const byTurn = Array.from({ length: plan.turns }, () => []);
const errors = {};
let failed = 0;
let longestPrompt = 0;

function post(url, key, body) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      authorization: `Bearer ${key}`,
    };
    const request = send(url, { method: "POST", agent, headers }, (response) => {
      let said = "";
      response.setEncoding("utf8");
      response.on("data", (part) => {
        said += part;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode, said, ms: performance.now() - began }),
      );
      response.on("error", reject);
    });
    request.setTimeout(Math.max(1, stop - Date.now()), () =>
      request.destroy(new Error("time limit")),
    );
    request.on("error", reject);
    request.end(body);
  });
}

async function session({ name, url, key }, index) {
  let history = '{"role":"system","content":"You are a coding agent."}';
  for (let turn = 0; turn < plan.turns && Date.now() < stop; turn++) {
    const added = turnText(plan.form, plan.bytes, (plan.first ?? 0) + index * plan.turns + turn);
    history += `,{"role":"user","content":${JSON.stringify(`turn ${turn} of ${name}: ${added}`)}}`;
    const { status, said, ms } = await post(
      `${url}/chat/completions`,
      key,
      `{"model":"mock","max_tokens":1024,"messages":[${history}]}`,
    );
    if (status !== 200) throw new Error(`status ${status}: ${said.slice(0, 120)}`);
    const answer = JSON.parse(said);
    const { content } = answer.choices[0].message;
    if (!content) throw new Error("empty answer");
    history += `,{"role":"assistant","content":${JSON.stringify(content)}}`;
    longestPrompt = Math.max(longestPrompt, answer.usage?.prompt_tokens ?? 0);
    times.push(ms);
    byTurn[turn].push(ms);
  }
}

const before = processCost(plan.pid);
const began = performance.now();
await Promise.all(
  plan.sessions.map((one, index) =>
    session(one, index).catch((error) => {
      failed += 1;
      errors[error.message] = (errors[error.message] ?? 0) + 1;
    }),
  ),
);
const seconds = (performance.now() - began) / 1000;
const after = processCost(plan.pid);
agent.destroy();

const round = (value) => (value === null ? null : Number(value.toFixed(2)));
process.stdout.write(
  JSON.stringify({
    turns: times.length,
    expected: plan.sessions.length * plan.turns,
    failed,
    errors,
    seconds: round(seconds),
    turnsPerSecond: round(times.length / seconds),
    p50: round(quantile(times, 0.5)),
    p95: round(quantile(times, 0.95)),
    p99: round(quantile(times, 0.99)),
    p50First5Turns: round(quantile(byTurn.slice(0, 5).flat(), 0.5)),
    p50Last5Turns: round(quantile(byTurn.slice(-5).flat(), 0.5)),
    cpuMsPerTurn: round((after.cpuMs - before.cpuMs) / Math.max(1, times.length)),
    writtenBytesPerTurn: Math.round(
      (after.writtenBytes - before.writtenBytes) / Math.max(1, times.length),
    ),
    rssMb: [before.rssBytes, after.rssBytes].map((bytes) => Math.round(bytes / 2 ** 20)),
    longestPrompt,
  }),
);
