import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { OpenedSession } from "@liverl/contract/proxy-admin";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { TokenApi } from "#backends/token-api.ts";
import { encodeFrame } from "#relay/frame.ts";
import { RelayWorker } from "#relay/worker.ts";
import { EngineStandIn, type ScriptedTurn } from "#testing/engine-stand-in.ts";
import { HandMadeWorker, type HeardFrame } from "#testing/hand-made-worker.ts";
import { ProxyBench, postChat } from "#testing/proxy-bench.ts";

let bench: ProxyBench;
let session: OpenedSession;
let token: string;
const open: { close(): void | Promise<void> }[] = [];

beforeAll(async () => {
  bench = await ProxyBench.start();
  token = (await readFile(join(bench.directory, "proxy/worker.token"), "utf8")).trim();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  await bench.admin.putPool("relay", {
    ...{ engines: [], relay: true, engineKeyPath: null, modelName: "tiny", maxModelLen: 4096 },
    modelDir: join(bench.directory, "model"),
  });
  session = await bench.openSession({ poolId: "relay" });
});
afterEach(async () => {
  for (const part of open.splice(0)) await part.close();
  await bench.admin.deletePool("relay");
});

const url = () => `${bench.proxy.adminUrl.replace("http", "ws")}/ws/worker`;
const ASK = { messages: [{ role: "user", content: "Hi" }] };
const waitFor = (check: () => unknown) => vi.waitFor(check, { timeout: 25_000, interval: 5 });
const textOf = (answer: Awaited<ReturnType<typeof postChat>>) =>
  answer.body.choices[0]!.message.content;

/** A reference worker in front of an engine that a test scripts. */
async function startWorker(
  worker: string,
  script: () => ScriptedTurn,
  { concurrency = 4 }: { concurrency?: number } = {},
) {
  const engine = await EngineStandIn.start(script);
  engine.tellsVersion = true;
  const backend = new TokenApi(engine.url, { keyPath: null });
  const states: string[] = [];
  const relay = new RelayWorker({
    ...{ url: url(), token, worker, pool: "relay", concurrency, backend },
    onState: (state) => states.push(state),
  });
  const ran = relay.run();
  open.push({
    close: async () => {
      relay.stop();
      await ran;
      await backend.destroy();
      await engine.stop();
    },
  });
  await waitFor(() => expect(states).toContain("registered"));
  return { engine, relay, states };
}

async function handMade(concurrency = 4): Promise<HandMadeWorker> {
  const worker = await new HandMadeWorker(url(), token).opened();
  open.push(worker);
  worker.say({ t: "register", worker: "hand", pool: "relay", concurrency, weightVersion: 7 });
  await waitFor(() => expect(worker.heard[0]?.message.t).toBe("registered"));
  return worker;
}

/** Answers a `generate` with ids that end the turn. */
function answer(worker: HandMadeWorker, { message }: HeardFrame, text: string): void {
  if (message.t !== "generate") return;
  const ids = bench.turnIds(text);
  const { id } = message;
  worker.say(
    { t: "chunk", id },
    ids,
    ids.map((_, i) => -0.25 - i),
  );
  worker.say({
    t: "end",
    id,
    finishReason: "stop",
    spans: null,
    weightVersion: 7,
    routedExperts: null,
  });
}

const next = (messages: unknown[], said: string) => ({
  messages: [
    ...messages,
    { role: "assistant", content: said },
    { role: "user", content: "more" },
  ] as never[],
});

it("serves a session through a reference worker, token for token", async () => {
  const { engine } = await startWorker("w", () => ({
    ids: bench.turnIds("ok"),
    versions: ["4", "4", "5"],
  }));
  await postChat(session, ASK);
  await postChat(session, next(ASK.messages, "ok"));
  const { trajectory } = await bench.complete(session.sessionId);
  const [first, second] = engine.seen;
  expect(trajectory.nodes[0]!.tokenIds).toEqual(first!.request.token_ids);
  expect(trajectory.nodes.slice(0, 3).flatMap((node) => node.tokenIds)).toEqual(
    second!.request.token_ids,
  );
  expect(trajectory.nodes[1]).toMatchObject({
    tokenIds: bench.turnIds("ok"),
    logprobs: [-0.5, -0.51, -0.52],
    policyVersions: [4, 4, 5],
    versionSpan: [4, 5],
  });
  expect(first!.request.request_id).toBe(trajectory.calls[0]!.requestId);
});

it("only new ids travel, and a worker that lost its prefix gets the whole", async () => {
  const worker = await handMade();
  const generates = () => worker.heard.filter(({ message }) => message.t === "generate");
  worker.onFrame = (frame) => answer(worker, frame, "ok");
  await postChat(session, ASK);
  await postChat(session, next(ASK.messages, "ok"));
  const [first, second] = generates();
  const held = [...first!.ids, ...bench.turnIds("ok")];
  expect(first!.message).toMatchObject({ keep: 0 });
  expect(second!.message).toMatchObject({ keep: held.length });
  expect(second!.ids.length).toBeLessThan(first!.ids.length + 20);

  worker.onFrame = (frame) => {
    const { message } = frame;
    if (message.t === "generate" && message.keep > 0) worker.say({ t: "need", id: message.id });
    else answer(worker, frame, "yes");
  };
  const answered = await postChat(session, {
    messages: [
      ...next(ASK.messages, "ok").messages,
      { role: "assistant", content: "ok" },
      { role: "user", content: "go" },
    ] as never[],
  });
  expect(textOf(answered)).toBe("yes");
  const [, , lost, whole] = generates();
  expect(whole!.message).toMatchObject({ keep: 0, id: (lost!.message as { id: string }).id });
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.nodes.slice(0, 5).flatMap(({ tokenIds }) => tokenIds)).toEqual(whole!.ids);
  // No spans: the version announced before and after is every token's.
  expect(trajectory.nodes[1]).toMatchObject({ policyVersions: [7, 7, 7] });
});

it("a version that a worker announces parts the caches", async () => {
  const worker = await handMade();
  worker.onFrame = (frame) => answer(worker, frame, "ok");
  await postChat(session, ASK);
  worker.say({ t: "heartbeat", weightVersion: 8, ready: true });
  worker.onFrame = ({ message }) => {
    if (message.t !== "generate") return;
    const ids = bench.turnIds("ok");
    worker.say(
      { t: "chunk", id: message.id },
      ids,
      ids.map(() => -1),
    );
    worker.say({
      t: "end",
      id: message.id,
      finishReason: "stop",
      spans: null,
      weightVersion: 9,
      routedExperts: null,
    });
  };
  await vi.waitFor(async () => {
    await postChat(session, { messages: [{ role: "user", content: "new" }] });
    const salts = worker.heard.flatMap(({ message }) =>
      message.t === "generate" ? [message.cacheSalt] : [],
    );
    expect(salts).toContain("run.v7");
    expect(salts.some((salt) => salt !== "run.v7")).toBe(true);
  });
  const { trajectory } = await bench.complete(session.sessionId);
  const mixed = trajectory.nodes.find(
    (node) => node.kind === "sampled" && node.policyVersions[0] === null,
  );
  expect(mixed).toMatchObject({ versionSpan: [8, 9] });
});

it("a worker that goes away in the middle is failed over", async () => {
  const slow = () => ({ ids: bench.turnIds("a slow answer"), delayMs: 20 });
  const workers = [await startWorker("a", slow), await startWorker("b", slow)];
  const asked = postChat(session, ASK);
  await waitFor(() =>
    expect(workers.flatMap(({ engine }) => engine.seen)[0]?.sent.length).toBeGreaterThan(2),
  );
  const serving = workers.find(({ engine }) => engine.seen.length > 0)!;
  serving.relay.stop();
  expect(textOf(await asked)).toBe("a slow answer");
  await waitFor(() => expect(serving.engine.seen[0]!.disconnected).toBe(true));
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.nodes[1]!.tokenIds).toEqual(bench.turnIds("a slow answer"));
  expect(trajectory.calls[0]!.requestIds).toHaveLength(1);
});

it("never gives a worker more than it takes at a time: others wait", async () => {
  let running = 0;
  let most = 0;
  const worker = await handMade(2);
  worker.onFrame = (frame) => {
    most = Math.max(most, ++running);
    setTimeout(() => {
      running -= 1;
      answer(worker, frame, "ok");
    }, 10);
  };
  const sessions = await Promise.all(
    Array.from({ length: 7 }, () => bench.openSession({ poolId: "relay" })),
  );
  const answers = await Promise.all(sessions.map((opened) => postChat(opened, ASK)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 200));
  expect(most).toBe(2);
});

it("a call waits for a worker that is late, and a client that leaves ends the request in its engine", async () => {
  const asked = postChat(session, ASK);
  const { engine } = await startWorker("late", () => ({
    ids: bench.turnIds("a long answer"),
    delayMs: 30,
  }));
  expect(textOf(await asked)).toBe("a long answer");
  const gone = new AbortController();
  const left = postChat(
    session,
    { messages: [{ role: "user", content: "x" }] },
    { signal: gone.signal },
  );
  await waitFor(() => expect(engine.seen[1]?.sent.length).toBeGreaterThan(1));
  gone.abort();
  await expect(left).rejects.toThrow();
  await waitFor(() => expect(engine.seen[1]!.aborted).toBe(true));
  expect(engine.seen).toHaveLength(2);
});

it("dials in again when the proxy is back", async () => {
  const { states } = await startWorker("again", () => ({ ids: bench.turnIds("ok") }));
  await bench.restart();
  await waitFor(() => expect(states.filter((state) => state === "registered")).toHaveLength(2));
  expect(textOf(await postChat(session, ASK))).toBe("ok");
});

it("refuses strangers, unknown pools and what is no frame, with the reason", async () => {
  const stranger = new HandMadeWorker(url(), "wrong");
  expect((await stranger.closed).reason).toContain("401");
  const lost = await new HandMadeWorker(url(), token).opened();
  lost.say({ t: "register", worker: "w", pool: "pool", concurrency: 1, weightVersion: null });
  expect(await lost.closed).toEqual({
    code: 1008,
    reason: "no pool pool that takes workers (relay: true)",
  });
  const mute = await new HandMadeWorker(url(), token).opened();
  mute.sayBytes(Buffer.from("hello"));
  expect(await mute.closed).toMatchObject({ code: 1008 });
  const babbler = await handMade();
  babbler.sayBytes(encodeFrame({ t: "dance" }));
  expect(await babbler.closed).toMatchObject({ code: 1003 });
});

it("an error of the engine behind a worker is what it says", async () => {
  const worker = await handMade();
  worker.onFrame = ({ message }) => {
    if (message.t === "generate")
      worker.say({
        t: "error",
        id: message.id,
        kind: "refused",
        status: 400,
        message: "no such token",
      });
  };
  expect((await postChat(session, ASK)).body.error).toMatchObject({ code: "engine_refused" });
  worker.onFrame = ({ message }) => {
    if (message.t === "generate")
      worker.say({ t: "error", id: message.id, kind: "full", status: 503, message: "full" });
  };
  expect((await postChat(session, { messages: [{ role: "user", content: "y" }] })).status).toBe(
    503,
  );
});
