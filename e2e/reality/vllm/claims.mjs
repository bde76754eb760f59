// What is held against what a real vLLM was asked and answered. Each claim throws with what differs, or gives figures.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, DIALECTS } from "./dialects.mjs";
import { pathIds } from "./proxy.mjs";
import { gauge, post, promptLogprobs } from "./vllm.mjs";

const TURNS = 20;
const LOOP_TOKENS = 64;
const LONG_TOKENS = 1500;
/** Few enough that random weights seldom write what looks like a tool call. */
const PAUSED_TOKENS = 400;
/** Random weights may end a turn at any token: one that ends before it could be disturbed is tried again. */
const TRIES = 40;
/** So many characters before a tool call are enough to compare. */
const SOME_TEXT = 100;
const TOLERANCE = 1e-4;
const SPECIAL = /<\|(?:im_start|im_end|endoftext)\|>/g;
const RUNNING = "vllm:num_requests_running";

async function until(look, what, timeoutMs = 30_000) {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(10)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`${what}: not within ${timeoutMs / 1000} s`);
}

const versionsOf = (spans, length) =>
  Array.from({ length }, (_, i) => {
    const digits = /(\d+)$/.exec(
      spans?.find(({ start, end }) => i >= start && i < end)?.version ?? "",
    )?.[1];
    return digits === undefined ? null : Number(digits);
  });

/** Every id and log-prob that the engine gave for a call is on disk, and the prompt is the path to its node. */
function checkCall(trajectory, call, recordings) {
  const asked = recordings.map((recording) => recording.of(call.requestIds)).find(Boolean);
  assert.ok(asked, `call ${call.id} names requests that no engine saw: ${call.requestIds}`);
  const node = trajectory.nodes.find(({ id }) => id === call.sampledNodeId);
  assert.deepEqual(asked[0].promptIds, pathIds(trajectory, call.promptNodeId), "prompt ids");
  const ids = asked.flatMap((request) => request.ids);
  const logprobs = asked.flatMap((request) => request.logprobs);
  // A connection that was cut may have carried tokens that nobody read.
  const length = call.status === "aborted" ? node.tokenIds.length : ids.length;
  assert.deepEqual(node.tokenIds, ids.slice(0, length), `ids of call ${call.id}`);
  assert.deepEqual(node.logprobs, logprobs.slice(0, length), `log-probs of call ${call.id}`);
  const told = asked.flatMap((request) => versionsOf(request.spans, request.ids.length));
  if (asked.every((request) => request.spans))
    assert.deepEqual(node.policyVersions, told.slice(0, length), `versions of call ${call.id}`);
  for (const version of node.policyVersions.filter((known) => known !== null))
    assert.ok(node.versionSpan[0] <= version && version <= node.versionSpan[1], "version span");
  return { tokens: node.tokenIds.length, requests: asked.length, node };
}

function check(trajectory, recordings) {
  const checked = trajectory.calls.map((call) => checkCall(trajectory, call, recordings));
  return {
    calls: checked.length,
    requests: checked.reduce((sum, { requests }) => sum + requests, 0),
    tokens: checked.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

/** The engine, asked to score a whole segment, finds the log-probs that it gave while sampling. */
async function maxLogprobDiff(trajectory, url) {
  let worst = 0;
  for (const { path } of trajectory.segments) {
    const nodes = path.map((id) => trajectory.nodes.find((node) => node.id === id));
    const scored = await promptLogprobs(
      url,
      nodes.flatMap((node) => node.tokenIds),
    );
    let at = 0;
    for (const node of nodes) {
      for (const [i, logprob] of (node.logprobs ?? []).entries())
        worst = Math.max(worst, Math.abs(logprob - scored[at + i]));
      at += node.tokenIds.length;
    }
  }
  assert.ok(worst <= TOLERANCE, `log-probs differ by ${worst}`);
  return worst;
}

export async function loop({ proxy, dialect, poolId, recording, scorer }) {
  const session = await proxy.open(poolId, LOOP_TOKENS);
  await DIALECTS.find(({ name }) => name === dialect).loop(session, TURNS);
  const trajectory = await proxy.complete(session);
  assert.equal(trajectory.calls.length, TURNS);
  assert.deepEqual(
    trajectory.calls.filter(({ fork }) => fork).map(({ fork }) => fork.reason),
    [],
    "forks",
  );
  for (const [i, call] of trajectory.calls.entries()) {
    if (i === 0) continue;
    const before = pathIds(trajectory, trajectory.calls[i - 1].sampledNodeId);
    const prompt = pathIds(trajectory, call.promptNodeId);
    assert.deepEqual(prompt.slice(0, before.length), before, `call ${i} goes on from the last`);
  }
  const figures = check(trajectory, [recording]);
  const seen = recording.calls.filter(({ id }) => id.startsWith(`${session.sessionId}-c`));
  const answered = seen.reduce((sum, request) => sum + request.ids.length, 0);
  assert.equal(figures.tokens, answered, "tokens on disk and tokens that the engine gave");
  const logprobDiff = await maxLogprobDiff(trajectory, scorer);
  return { dialect, endpoint: seen[0].path, ...figures, maxLogprobDiff: logprobDiff };
}

/** A call in flight with some tokens sampled, and the session it belongs to; null where it ended before that. */
async function disturb({ proxy, poolId, recordings, tokens }, disturbance) {
  for (let tried = 0; tried < TRIES; tried++) {
    const session = await proxy.open(poolId, tokens);
    const gone = new AbortController();
    const asked = ask(session, `Tell me all about try ${tried}.`, gone.signal).then(
      (text) => ({ text }),
      (error) => ({ error }),
    );
    const mine = () =>
      recordings
        .flatMap((recording) => recording.calls.map((request) => ({ recording, request })))
        .filter(({ request }) => request.id.startsWith(`${session.sessionId}-c`));
    await until(
      () => mine().some(({ request }) => request.ids.length > 32 || request.ended),
      "tokens",
    );
    if (mine().some(({ request }) => request.ended)) {
      await asked;
      continue;
    }
    const found = await disturbance({ session, gone, asked, mine });
    if (found) return found;
  }
  throw new Error(`no call of ${TRIES} was long enough to be disturbed`);
}

export function disconnect({ proxy, poolId, recording, url }) {
  const long = { proxy, poolId, recordings: [recording], tokens: LONG_TOKENS };
  return disturb(long, async ({ session, gone, asked, mine }) => {
    const running = await gauge(url, RUNNING);
    const leftAt = performance.now();
    gone.abort();
    await asked;
    await until(async () => (await gauge(url, RUNNING)) === 0, "gauge of running requests at 0");
    const secondsToZero = (performance.now() - leftAt) / 1000;
    if (running !== 1) return null;
    await until(async () => {
      const view = await proxy.admin("GET", `sessions/${session.sessionId}`);
      return view.inFlight === 0;
    }, "the call's end");
    const trajectory = await proxy.complete(session);
    const [call] = trajectory.calls;
    if (call.status !== "aborted") return null;
    assert.equal(mine().length, 1, "requests of the call");
    const aborts = recording.aborts.filter((id) => id.includes(session.sessionId)).length;
    assert.ok(aborts <= 1, "aborted more than once");
    const { tokens } = check(trajectory, [recording]);
    assert.ok(tokens > 0 && tokens < LONG_TOKENS, "what was sampled until then is kept");
    return {
      endpoint: mine()[0].request.path,
      abortsById: aborts,
      tokensKept: tokens,
      secondsToZero,
    };
  });
}

/** Weights change in the middle of a turn; the client is to notice nothing. */
export async function pauseAndResume({ proxy, poolId, recording, url, mode, version }) {
  await post(url, "/update_weight_version", { new_version: `step-${version}` });
  const call = { proxy, poolId, recordings: [recording], tokens: PAUSED_TOKENS };
  return disturb(call, async ({ session, asked, mine }) => {
    await post(url, `/pause?mode=${mode}`);
    await post(url, "/update_weight_version", { new_version: `step-${version + 1}` });
    const other = await proxy.open(poolId, 4);
    const waiting = ask(other, "Are you there?");
    await sleep(1_500);
    await post(url, "/resume");
    const { text, error } = await asked;
    assert.ifError(error);
    assert.equal(typeof (await waiting), "string", "a call that came during the pause is answered");
    const trajectory = await proxy.complete(session);
    const figures = check(trajectory, [recording]);
    const { policyVersions, tokenIds } = trajectory.nodes.find(({ kind }) => kind === "sampled");
    const versions = [...new Set(policyVersions)];
    if (versions.length < 2) return null;
    assert.deepEqual(versions, [version, version + 1], "versions in order");
    const [request, resumed] = mine().map((entry) => entry.request);
    if (mode === "abort") {
      assert.equal(request.finishReason, "abort");
      assert.deepEqual(resumed.promptIds, [...request.promptIds, ...request.ids], "resumed prompt");
    }
    const { prompt: whole } = await post(url, "/detokenize", { tokens: tokenIds });
    const [plain, ...calls] = whole.replace(SPECIAL, "").split("<tool_call>");
    // What random weights write after what looks like a tool call is not all text of the turn: what stands before it is.
    if (calls.length === 0) assert.equal(text.trim(), plain.trim(), "text of all tokens");
    else if (plain.trim().length < SOME_TEXT) return null;
    else assert.ok(text.trim().startsWith(plain.trim()), "text of the tokens before a tool call");
    return {
      mode,
      ...figures,
      versions,
      tokensByVersion: versions.map((v) => policyVersions.filter((x) => x === v).length),
    };
  });
}

/** A real vLLM dies by SIGKILL in the middle of a turn; the other one answers. */
export function replicaDeath({ proxy, poolId, recordings, doomed, kill }) {
  const long = { proxy, poolId, recordings, tokens: LONG_TOKENS };
  return disturb(long, async ({ session, asked, mine }) => {
    if (mine()[0].recording !== doomed) {
      await asked;
      return null;
    }
    kill();
    const killedAt = performance.now();
    const { text, error } = await asked;
    assert.ifError(error);
    assert.equal(typeof text, "string");
    const trajectory = await proxy.complete(session);
    const [call] = trajectory.calls;
    assert.equal(call.status, "done");
    const figures = check(
      trajectory,
      recordings.filter((recording) => recording !== doomed),
    );
    const next = await proxy.open(poolId, 8);
    await ask(next, "And now?");
    return {
      ...figures,
      requestsSent: mine().length,
      secondsToAnswer: (performance.now() - killedAt) / 1000,
    };
  });
}
