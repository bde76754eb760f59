// Weights change while turns are being sampled: 1,000 syncs that fell inside a turn (`--syncs N`; `--only vllm` leaves the
// embedded engine out), three of four by aborting what runs, one by freezing it. Judged by the engine's own record, never by
// the proxy's: ids, log-probs and versions are those that were sampled, each resumed prompt is the one before plus what was
// sampled, the client got one answer to one request, with the text of all tokens. On the embedded engine each log-prob is
// computed again under the weights of its version. With VLLM_URL (the tiny model of e2e/reality/vllm, VLLM_MODEL its folder)
// on vLLM, too, where a sync changes the version's label. Prints one JSON object last; exit 0 only if nothing differs.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { Tokenizer } from "tokenizers";
import { LlmProxy, pathIds } from "../e2e/reality/vllm/proxy.mjs";
import { Recording } from "../e2e/reality/vllm/recording.mjs";
import { report, say } from "./liverl.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({
  options: { syncs: { type: "string" }, only: { type: "string" }, json: { type: "boolean" } },
});
const wanted = Number(values.syncs ?? 1000);
const CLIENTS = 6;
const MODES = ["abort", "abort", "abort", "keep"];
/** Between two syncs, so that tokens are sampled in between. */
const PAUSE_MS = 25;
const TOLERANCE = 1e-4;
const TIME_LIMIT_MS = 20 * 60_000;

const versionNumber = (label) => Number(/(\d+)$/.exec(label)?.[1] ?? Number.NaN);

/** What an engine says of a call's requests, in order, and whether the prompts follow from each other. */
function truthOf(requests) {
  const ids = requests.flatMap((request) => request.ids);
  let sampled = [];
  let isContinuous = true;
  for (const request of requests) {
    const expected = [...requests[0].promptIds, ...sampled];
    isContinuous &&= isDeepStrictEqual(request.promptIds, expected);
    sampled = [...sampled, ...request.ids];
  }
  return {
    promptIds: requests[0].promptIds,
    ids,
    logprobs: requests.flatMap((request) => request.logprobs),
    versions: requests.flatMap((request) => request.versions),
    isContinuous,
  };
}

async function embeddedLeg() {
  const run = mkdtempSync(join(tmpdir(), "liverl-abort-resume-"));
  spawnSync(process.execPath, ["dist/two-policies.mjs", "--out", run], {
    cwd: root,
    stdio: "inherit",
  });
  const weights = (version) => {
    const path = join(run, "weights", `v${version}.safetensors`);
    symlinkSync(version % 2 ? "odd.safetensors" : "even.safetensors", path);
    return path;
  };
  weights(0);
  const current = { version: 0, path: "v0.safetensors" };
  writeFileSync(join(run, "weights/current.json"), JSON.stringify(current));
  const port = await new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port: free } = server.address();
      server.close(() => resolve(free));
    });
  });
  const argv = ["dist/engine.mjs", "--run-dir", run, "--index", "0", "--port", String(port)];
  const engine = spawn(process.execPath, argv, {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  process.once("exit", () => engine.kill("SIGKILL"));
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${url}/health`).catch(() => null))?.ok) await sleep(100);
  const key = readFileSync(join(run, "engine.key"), "utf8").trim();
  return {
    name: "embedded",
    maxTokens: 180,
    pool: {
      ...{ engines: [{ url }], engineKeyPath: join(run, "engine.key"), maxModelLen: 256 },
      ...{ modelDir: join(run, "model"), modelName: "liverl-embedded" },
    },
    async sync(version, mode) {
      const body = { update_info: { path: weights(version), version, mode } };
      await post(`${url}/update_weights`, body, { authorization: `Bearer ${key}` });
    },
    requests() {
      const lines = readFileSync(join(run, "engine-0.jsonl"), "utf8").trim().split("\n");
      return new Map(
        lines.map((line) => JSON.parse(line)).map((record) => [record.requestId, record]),
      );
    },
    /** Largest difference between reported log-probs and those under each token's version, over all calls. */
    maxLogprobDiff(truths) {
      const input = truths
        .map(({ promptIds, ids, logprobs, versions }) =>
          JSON.stringify({ runDir: run, promptIds, ids, logprobs, versions, temperature: 1 }),
        )
        .join("\n");
      const { stdout } = spawnSync(process.execPath, ["dist/audit-logprobs.mjs"], {
        ...{ cwd: root, input, encoding: "utf8", maxBuffer: 2 ** 28 },
      });
      const lines = stdout.trim().split("\n");
      if (lines.length !== truths.length)
        throw new Error("the audit did not answer for every call");
      return Math.max(...lines.map((line) => JSON.parse(line).maxDiff));
    },
    async stop() {
      const ended = new Promise((resolve) => engine.once("exit", resolve));
      engine.kill("SIGTERM");
      await ended;
      rmSync(run, { recursive: true, force: true });
    },
  };
}

async function vllmLeg(target) {
  const recording = await Recording.before(target);
  await post(`${target}/update_weight_version`, { new_version: "step-0" });
  return {
    name: "vllm",
    maxTokens: 1000,
    pool: {
      ...{ engines: [{ url: recording.url }], engineKeyPath: null, modelName: "tiny" },
      ...{ modelDir: process.env.VLLM_MODEL, maxModelLen: 2048 },
    },
    async sync(version, mode) {
      await post(`${target}/pause?mode=${mode}`);
      await post(`${target}/update_weight_version`, { new_version: `step-${version}` });
      await post(`${target}/resume`);
    },
    requests() {
      return new Map(
        recording.calls.map((call) => [
          call.id,
          {
            ...call,
            versions: call.ids.map((_, i) =>
              versionNumber(call.spans.find(({ start, end }) => i >= start && i < end).version),
            ),
          },
        ]),
      );
    },
    maxLogprobDiff: null,
    stop: () => recording.close(),
  };
}

async function post(url, body, headers = {}) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(60_000),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  await answer.text();
}

/** One call as a client makes it: what it was told. */
async function ask({ baseUrl, apiKey }, content) {
  const answer = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content }] }),
  });
  return { status: answer.status, body: await answer.json() };
}

/** Keeps clients busy and syncs between them until enough syncs fell inside a turn. */
async function runLeg(leg, proxy) {
  await proxy.admin("PUT", `pools/${leg.name}`, leg.pool);
  const turns = [];
  /** Versions that began inside a turn. */
  const inside = new Set();
  const deadline = Date.now() + TIME_LIMIT_MS;
  const isOver = () => inside.size >= wanted || Date.now() > deadline;
  const client = async (name) => {
    for (let k = 0; !isOver(); k++) {
      const session = await proxy.open(leg.name, leg.maxTokens, { runId: null });
      const told = await ask(session, `Tell me about ${name} ${k}.`);
      const trajectory = await proxy.complete(session);
      turns.push({ told, trajectory });
      for (const node of trajectory.nodes) {
        if (node.kind !== "sampled") continue;
        const [low, high] = node.versionSpan;
        for (let version = low + 1; version <= high; version++) inside.add(version);
      }
    }
  };
  let syncs = 0;
  const syncer = async () => {
    while (!isOver()) {
      syncs += 1;
      await leg.sync(syncs, MODES[syncs % MODES.length]);
      await sleep(PAUSE_MS * (0.5 + Math.random()));
    }
  };
  const began = performance.now();
  await Promise.all([syncer(), ...Array.from({ length: CLIENTS }, (_, i) => client(i))]);
  return { turns, inside: inside.size, syncs, seconds: (performance.now() - began) / 1000 };
}

async function judge(leg, turns) {
  const requests = leg.requests();
  const tokenizer = Tokenizer.fromString(
    readFileSync(join(leg.pool.modelDir, "tokenizer.json"), "utf8"),
  );
  const violations = [];
  const truths = [];
  const sums = { tokens: 0, requests: 0, mixedTurns: 0, nullVersions: 0, textsCompared: 0 };
  for (const { told, trajectory } of turns) {
    const [call] = trajectory.calls;
    const blame = (what) => violations.push(`${call.requestId}: ${what}`);
    const named = call.requestIds.map((id) => requests.get(id));
    if (told.status !== 200 || trajectory.calls.length !== 1 || call.status !== "done")
      blame(`the client was told ${told.status}, the call is ${call.status}`);
    else if (named.some((request) => !request)) blame("the engine knows no such request");
    else {
      const truth = truthOf(named);
      const node = trajectory.nodes.find(({ id }) => id === call.sampledNodeId);
      truths.push(truth);
      checkTurn(trajectory, call, node, truth, blame);
      await checkText(told.body, tokenizer, node.tokenIds, blame, sums);
      sums.tokens += node.tokenIds.length;
      sums.requests += call.requestIds.length;
      sums.nullVersions += node.policyVersions.filter((version) => version === null).length;
      if (new Set(truth.versions).size > 1) sums.mixedTurns += 1;
    }
  }
  return { ...sums, ...checkScores(leg, truths, violations), violations };
}

/** Log-probs are those of each token's version; as a control, those of another version they are not. */
function checkScores(leg, truths, violations) {
  if (!leg.maxLogprobDiff) return {};
  const maxLogprobDiff = leg.maxLogprobDiff(truths);
  const others = truths.slice(0, 20).map((truth) => ({
    ...truth,
    versions: truth.versions.map((version) => (version === 0 ? 1 : version - 1)),
  }));
  const controlDiff = leg.maxLogprobDiff(others);
  if (!(maxLogprobDiff <= TOLERANCE))
    violations.push(`a log-prob is ${maxLogprobDiff} off that of its version`);
  if (!(controlDiff > 0.1)) violations.push("the control sees no difference between versions");
  return { maxLogprobDiff, controlDiff };
}

function checkTurn(trajectory, call, node, truth, blame) {
  if (!isDeepStrictEqual(pathIds(trajectory, call.promptNodeId), truth.promptIds)) blame("prompt");
  if (!truth.isContinuous) blame("a resumed prompt is not the one before plus what was sampled");
  if (!isDeepStrictEqual(node.tokenIds, truth.ids)) blame("ids");
  if (!isDeepStrictEqual(node.logprobs, truth.logprobs)) blame("log-probs");
  checkVersions(node, truth.versions, blame);
}

function checkVersions({ policyVersions, versionSpan: [low, high] }, versions, blame) {
  for (const [i, version] of policyVersions.entries()) {
    if (version !== null && version !== versions[i]) blame(`version of token ${i}`);
    if (versions[i] < low || versions[i] > high) blame(`span of token ${i}`);
  }
}

async function checkText({ choices }, tokenizer, ids, blame, sums) {
  const text = await tokenizer.decode(ids, true);
  // What looks like a tool call is no text of the turn.
  if (text.includes("<tool_call>")) return;
  sums.textsCompared += 1;
  if ((choices[0].message.content ?? "").trim() !== text.trim()) blame("text");
}

const proxy = await LlmProxy.start();
const legs = values.only === "vllm" ? [] : [await embeddedLeg()];
if (process.env.VLLM_URL) legs.push(await vllmLeg(process.env.VLLM_URL));
else
  say("SKIPPED: vLLM. Give VLLM_URL and VLLM_MODEL (see e2e/reality/vllm) to run it there, too.");
const figures = {};
for (const leg of legs) {
  const { turns, ...ran } = await runLeg(leg, proxy);
  const judged = await judge(leg, turns);
  figures[leg.name] = {
    ...{ ...ran, turns: turns.length, ...judged },
    violations: judged.violations.length,
  };
  say(`${leg.name}: ${JSON.stringify(figures[leg.name])}`);
  for (const violation of judged.violations.slice(0, 10)) say(`  ${violation}`);
  await leg.stop();
}
await proxy.stop();
const isGood =
  legs.length > 0 &&
  Object.values(figures).every(({ inside, violations }) => inside >= wanted && violations === 0);
report("abort-resume", { ok: isGood, figures, peers: null });
