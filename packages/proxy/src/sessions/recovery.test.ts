import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import pino from "pino";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AdminClient } from "#admin-client.ts";
import { SessionStore } from "#sessions/session-store.ts";
import { ProxyBench, postChat } from "#testing/proxy-bench.ts";

const PROGRAM = fileURLToPath(new URL("../../../../dist/proxy.mjs", import.meta.url));
const ASK = { messages: [{ role: "user", content: "Hi" }] };
const retry = (count: number) => ({ headers: { "x-stainless-retry-count": String(count) } });
const waitFor = <T>(check: () => T) => vi.waitFor(check, { timeout: 150_000, interval: 10 });

// Each test starts whole processes, some of them three times.
vi.setConfig({ testTimeout: 600_000 });

let bench: ProxyBench;
let child: ChildProcess | null = null;

beforeEach(async () => {
  bench = await ProxyBench.start();
});
afterEach(async () => {
  child?.kill("SIGKILL");
  child = null;
  await bench.stop();
});

/** The real program on the bench's folder, in place of the proxy inside this process. */
async function startProgram(): Promise<void> {
  child = spawn(process.execPath, [PROGRAM, "--data-dir", bench.directory], { stdio: "ignore" });
  await waitFor(async () => {
    await bench.admin.ready();
  });
}

const outcomeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => "answered",
    () => "cut off",
  );

async function killProgram(): Promise<void> {
  const dead = new Promise((resolve) => child?.once("exit", resolve));
  child?.kill("SIGKILL");
  await dead;
}

it("survives kill -9 between intent and answer: nothing answered is lost, the open call is incomplete", async () => {
  await bench.proxy.stop();
  await startProgram();
  const session = await bench.openSession();
  bench.say("first");
  const answered = await postChat(session, ASK, retry(0));
  expect(answered.status).toBe(200);
  const next = {
    messages: [
      ...ASK.messages,
      answered.body.choices[0]!.message,
      { role: "user", content: "go on" },
    ],
  };
  bench.scripts(() => ({ ids: bench.turnIds("never heard"), delayMs: 200 }));
  const cut = outcomeOf(postChat(session, next, retry(0)));
  await waitFor(() => expect(bench.engine.seen).toHaveLength(2));
  await killProgram();
  expect(await cut).toBe("cut off");

  await startProgram();
  bench.say("second");
  // The client that got no answer asks again; the one that got one is given the same again.
  const again = await postChat(session, next, retry(1));
  expect(again.body.choices[0]!.message.content).toBe("second");
  expect((await postChat(session, ASK, retry(1))).body).toEqual(answered.body);
  const { completed, trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.calls.map(({ status }) => status)).toEqual(["done", "incomplete", "done"]);
  expect(trajectory.calls[1]!.sampledNodeId).toBeNull();
  expect(trajectory.calls[1]!.requestIds).toEqual([`${session.sessionId}-c1-0`]);
  expect(trajectory.calls[1]!.promptNodeId).toBe(trajectory.calls[2]!.promptNodeId);
  expect(trajectory.segments.map(({ trainable, reason }) => ({ trainable, reason }))).toEqual([
    { trainable: true, reason: null },
    { trainable: false, reason: "incomplete" },
  ]);
  const last = bench.engine.seen.at(-1)!;
  expect(completed.segments[0]!.tokenIds).toEqual([...last.request.token_ids, ...last.sent]);
  await killProgram();
  await startProgram();
  expect(
    await bench.admin.completeSession(session.sessionId, { reward: null, termination: "timeout" }),
  ).toEqual(completed);
});

it("leaves on SIGTERM without waiting for its calls, and answers where it left off", async () => {
  await bench.proxy.stop();
  await startProgram();
  const session = await bench.openSession();
  bench.scripts(() => ({ ids: bench.turnIds("slow"), delayMs: 300_000 }));
  const cut = outcomeOf(postChat(session, ASK, retry(0)));
  await waitFor(() => expect(bench.engine.seen).toHaveLength(1));
  const exited = new Promise<number | null>((resolve) => child?.once("exit", resolve));
  child?.kill("SIGTERM");
  expect(await exited).toBe(0);
  expect(await cut).toBe("cut off");
  await startProgram();
  bench.say("ok");
  const again = await postChat(session, ASK, retry(1));
  expect(again.body.choices[0]!.message.content).toBe("ok");
});

it("case 35: completing a session breaks off its calls, which stay incomplete", async () => {
  const session = await bench.openSession();
  bench.scripts(() => ({ ids: bench.turnIds("never finished"), delayMs: 50 }));
  const cut = postChat(session, ASK);
  await waitFor(() => expect(bench.engine.seen[0]?.sent.length).toBeGreaterThan(0));
  const { trajectory } = await bench.complete(session.sessionId, {
    reward: null,
    termination: "timeout",
  });
  expect((await cut).status).toBe(400);
  expect(trajectory.calls[0]).toMatchObject({
    status: "incomplete",
    sampledNodeId: null,
    requestIds: [bench.engine.seen[0]!.request.request_id],
  });
  expect(trajectory.segments).toMatchObject([
    { trainable: false, reason: "incomplete", trainedNodes: [] },
  ]);
  await waitFor(() => expect(bench.engine.seen[0]!.disconnected).toBe(true));
});

it("rebuilds the tree exactly: a session that went on after a restart equals one that never stopped", async () => {
  const trajectories = [];
  for (const restart of [false, true]) {
    const session = await bench.openSession({
      sessionId: "same",
      directory: join(bench.directory, restart ? "b" : "a"),
    });
    bench.say("one", "two", "three");
    const tools = [{ type: "function", function: { name: "f", parameters: { eps: 0.5 } } }];
    const first = await postChat(session, { ...ASK, tools }, retry(0));
    if (restart) await bench.restart();
    const messages = [
      ...ASK.messages,
      first.body.choices[0]!.message,
      { role: "user", content: "go on" },
    ];
    await postChat(session, { messages, tools }, retry(0));
    await postChat(session, { messages, tools }, retry(0));
    const completed = await bench.admin.completeSession("same", {
      reward: { reward: 0.5 },
      termination: "agent-finished",
    });
    const trajectory = ProxyTrajectory.parse(JSON.parse(await readFile(completed.path, "utf8")));
    for (const call of trajectory.calls)
      Object.assign(call, { startedAt: "", sentAt: "", firstTokenAt: "", endedAt: "" });
    trajectories.push(trajectory);
    // A completed id can not be used again, so the second time is another proxy on another folder.
    if (!restart) {
      await bench.stop();
      bench = await ProxyBench.start();
    }
  }
  expect(trajectories[1]).toEqual(trajectories[0]);
});

it("shortens its journal to what live sessions need, and still answers for completed ones", async () => {
  const live = await bench.openSession({ sessionId: "live" });
  bench.say("kept");
  await postChat(live, ASK, retry(0));
  const done = await bench.openSession({ sessionId: "done" });
  await postChat(done, ASK, retry(0));
  const { completed } = await bench.complete("done");
  for (let i = 0; i < 130; i++) {
    const { sessionId } = await bench.openSession();
    await bench.admin.completeSession(sessionId, { reward: null, termination: "cancelled" });
  }
  await bench.restart();
  expect(
    await bench.admin.completeSession("done", { reward: null, termination: "timeout" }),
  ).toEqual(completed);
  expect((await bench.complete("live")).trajectory.calls).toHaveLength(1);
});

it("completes what its owner forgot, an hour after it expired", async () => {
  const kept = await bench.openSession({ expiresAt: new Date(Date.now() - 60_000).toISOString() });
  await bench.restart();
  expect(
    (await bench.complete(kept.sessionId, { reward: { reward: 1 }, termination: "agent-finished" }))
      .trajectory.reward,
  ).toEqual({ reward: 1 });
  const store = await SessionStore.open(join(bench.directory, "other"), pino({ level: "silent" }));
  await store.putPool("pool", {
    engines: [{ url: "http://127.0.0.1:1" }],
    engineKeyPath: null,
    modelDir: join(bench.directory, "model"),
    modelName: "tiny",
    maxModelLen: 10,
  });
  const expiresAt = "2026-01-01T00:00:00.000Z";
  await store.openSession({
    sessionId: "old",
    poolId: "pool",
    rolloutId: null,
    attempt: 1,
    runId: null,
    taskId: null,
    groupId: null,
    step: null,
    mode: "eval",
    sampling: null,
    directory: join(bench.directory, "old"),
    expiresAt,
    maxCalls: 1,
    trains: ["main"],
    outputs: "all",
    stream: "durable",
  });
  await store.sweep(Date.parse(expiresAt) + 59 * 60_000);
  expect(store.list()).toHaveLength(1);
  await store.sweep(Date.parse(expiresAt) + 61 * 60_000);
  expect(store.list()).toHaveLength(0);
  await store.close();
});

it("a pool may go before its sessions are completed", async () => {
  const session = await bench.openSession();
  bench.say("ok");
  await postChat(session, ASK);
  await bench.admin.deletePool("pool");
  expect((await postChat(session, { messages: [{ role: "user", content: "more" }] })).status).toBe(
    404,
  );
  expect((await bench.complete(session.sessionId)).trajectory.model).toMatchObject({
    name: "tiny",
    family: "hermes",
  });
});

it("tells a client of the admin port that the proxy is away", async () => {
  const away = new AdminClient({ url: "http://127.0.0.1:1", token: "x" });
  await expect(away.ready()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await away.close();
});
