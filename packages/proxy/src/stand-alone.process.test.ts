import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { OpenedSession } from "@liverl/contract/proxy-admin";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { isAlive, killAll, listRecorded } from "@liverl/durable/process";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ProxyBench, postChat } from "#testing/proxy-bench.ts";
import { StandAlone } from "#testing/stand-alone.ts";
import { recordsDirectory } from "#workers/worker-folders.ts";

// Each test starts whole processes, some of them several times.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const patience = { timeout: 60_000, interval: 20 };
const retry = (count: number) => ({ headers: { "x-stainless-retry-count": String(count) } });
const ask = (...turns: string[]) => ({
  messages: turns.map((content, i) => ({ role: i % 2 ? "assistant" : "user", content })),
});

/** Engine, model and scripts; its own proxy serves nobody here. */
let bench: ProxyBench;
let dataDir: string;
let pools: string;
let started: StandAlone[];

beforeEach(async () => {
  bench = await ProxyBench.start();
  dataDir = join(bench.directory, "alone");
  started = [];
  pools = JSON.stringify([
    {
      id: "pool",
      engines: [bench.engine.url],
      modelDir: join(bench.directory, "model"),
      modelName: "tiny",
      maxModelLen: 4096,
    },
  ]);
  bench.say("ok");
});
afterEach(async () => {
  for (const program of started) program.child.kill("SIGKILL");
  await Promise.all(started.map(({ exited }) => exited));
  await killAll(await listRecorded(recordsDirectory(dataDir)));
  await bench.stop();
  await rm(dataDir, { recursive: true, force: true });
});

function start(variables: Record<string, string | number> = {}, args: string[] = []): StandAlone {
  const program = StandAlone.start(dataDir, { PROXY_POOLS: pools, ...variables }, args);
  started.push(program);
  return program;
}

const pidOf = async (index: number) => {
  const records = await listRecorded(recordsDirectory(dataDir));
  return records.find(({ name }) => name === `proxy-worker-${index}`)?.pid ?? 0;
};
const urlOf = ({ baseUrl }: OpenedSession) => baseUrl.split("/sess/")[0];
const trajectoryAt = async (path: string) =>
  ProxyTrajectory.parse(JSON.parse(await readFile(path, "utf8")));

it("two workers: sessions spread and stick, one is killed and goes on where it was, both drain", async () => {
  const program = start({ PROXY_WORKERS: 2, PROXY_DRAIN_SECONDS: 120 });
  const { admin, adminUrl, agentUrls } = await program.ready();
  expect(program.stdout.trim().split("\n")).toHaveLength(1);
  expect(agentUrls).toHaveLength(2);
  const sessions = await Promise.all(Array.from({ length: 4 }, () => admin.openSession({})));
  expect(new Set(sessions.map(urlOf))).toEqual(new Set(agentUrls));
  const answers = await Promise.all(
    sessions.map((session) => postChat(session, ask("Hi"), retry(0))),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await admin.listSessions()).map(({ sessionId }) => sessionId).sort()).toEqual(
    sessions.map(({ sessionId }) => sessionId).sort(),
  );

  const [mine] = sessions.filter((session) => urlOf(session) === agentUrls[1]);
  const before = await pidOf(1);
  process.kill(before, "SIGKILL");
  await vi.waitFor(async () => {
    expect(await pidOf(1)).not.toBe(before);
    expect((await postChat(mine!, ask("Hi", "ok", "go on"), retry(1))).status).toBe(200);
  }, patience);
  // The answer that its client may have missed is given again, word for word.
  const index = sessions.indexOf(mine!);
  expect((await postChat(mine!, ask("Hi"), retry(1))).body).toEqual(answers[index]!.body);
  const metrics = await vi.waitFor(async () => {
    const text = await admin.metrics();
    expect(text).toContain('liverl_proxy_worker_up{worker="1"} 1');
    return text;
  }, patience);
  expect(metrics).toContain('liverl_proxy_worker_restarts{worker="1"} 1');
  expect(metrics).toMatch(/liverl_proxy_calls_total\{status="done",worker="0"\} 2/);
  const completed = await admin.completeSession(mine!.sessionId, {
    reward: { reward: 1 },
    termination: "agent-finished",
  });
  const trajectory = await trajectoryAt(completed.path);
  expect(trajectory.calls.map(({ status }) => status)).toEqual(["done", "done"]);
  expect(trajectory.segments).toHaveLength(1);
  const last = bench.engine.seen.findLast(({ request }) =>
    request.request_id?.startsWith(mine!.sessionId),
  );
  expect(completed.segments[0]!.tokenIds).toEqual([...last!.request.token_ids, ...last!.sent]);

  // A call is under way in each worker when the proxy is told to end.
  const others = sessions.filter((session) => session !== mine);
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  bench.scripts(() => ({ ids: bench.turnIds("slow but whole"), until }));
  const seen = bench.engine.seen.length;
  const slow = others.map((session) => postChat(session, ask("Hi", "ok", "slowly"), retry(0)));
  await vi.waitFor(() => expect(bench.engine.seen).toHaveLength(seen + 3), patience);
  program.child.kill("SIGTERM");
  await vi.waitFor(async () => {
    expect((await fetch(`${adminUrl}/readyz`)).status).toBe(503);
    await expect(admin.openSession({})).rejects.toMatchObject({ code: "UNAVAILABLE" });
    const refused = await fetch(`${others[0]!.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${others[0]!.apiKey}` },
      body: JSON.stringify(ask("something new")),
      // A worker that was not told yet takes the call and holds it as long as the others.
      signal: AbortSignal.timeout(1_000),
    });
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
  }, patience);
  release();
  const ended = await Promise.all(slow);
  expect(ended.map(({ body }) => body.choices[0]!.message.content)).toEqual(
    others.map(() => "slow but whole"),
  );
  expect(await program.exited).toBe(0);
  expect(await listRecorded(recordsDirectory(dataDir))).toEqual([]);
  await admin.close();
});

it("finds its sessions whatever the number of workers, and retires those that are too many", async () => {
  const one = start();
  const alone = await one.ready();
  const first = await alone.admin.openSession({ sessionId: "from-one" });
  await postChat(first, ask("Hi"), retry(0));
  await one.stop();

  const three = start({ PROXY_WORKERS: 3 });
  const many = await three.ready();
  const opened = [];
  for (let i = 0; i < 3; i++) opened.push(await many.admin.openSession({ sessionId: `of-${i}` }));
  await Promise.all(opened.map((session) => postChat(session, ask("Hi"), retry(0))));
  expect((await postChat(first, ask("Hi", "ok", "on"), retry(0))).status).toBe(200);
  const done = opened.find((session) => urlOf(session) === many.agentUrls[2])!;
  const lasting = opened.find((session) => urlOf(session) === many.agentUrls[1])!;
  const completed = await many.admin.completeSession(done.sessionId, {
    reward: null,
    termination: "agent-finished",
  });
  await three.stop();

  const end = { reward: null, termination: "timeout" } as const;
  const again = start();
  const { admin, agentUrls } = await again.ready();
  expect(agentUrls).toHaveLength(1);
  // The third worker has no open session: it ends. The second one has, and serves it where it was.
  await vi.waitFor(async () => {
    const names = (await listRecorded(recordsDirectory(dataDir))).map(({ name }) => name).sort();
    expect(names).toEqual(["proxy-worker-0", "proxy-worker-1"]);
  }, patience);
  expect((await postChat(lasting, ask("Hi", "ok", "on"), retry(0))).status).toBe(200);
  expect(urlOf(await admin.openSession({}))).toBe(agentUrls[0]);
  expect(await admin.completeSession(done.sessionId, end)).toEqual(completed);
  await expect(admin.openSession({ sessionId: done.sessionId })).rejects.toMatchObject({
    code: "CONFLICT",
  });
  const kept = await admin.completeSession(lasting.sessionId, end);
  expect(kept.calls).toBe(2);
  await vi.waitFor(async () => {
    expect(await listRecorded(recordsDirectory(dataDir))).toHaveLength(1);
  }, patience);
  await again.stop();

  const last = await start().ready();
  expect(await listRecorded(recordsDirectory(dataDir))).toEqual([]);
  expect(await last.admin.completeSession(lasting.sessionId, end)).toEqual(kept);
  expect((await last.admin.completeSession("from-one", end)).calls).toBe(2);
});

it("adopts the workers of a parent that was killed, and starts those anew that are planned otherwise", async () => {
  const program = start({ PROXY_WORKERS: 2 });
  const { admin } = await program.ready();
  const session = await admin.openSession({});
  await admin.putPool("late", {
    engines: [{ url: bench.engine.url }],
    engineKeyPath: null,
    modelDir: join(bench.directory, "model"),
    modelName: "late",
    maxModelLen: 100,
  });
  program.child.kill("SIGKILL");
  await program.exited;
  // Its agents go on.
  expect((await postChat(session, ask("Hi"), retry(0))).status).toBe(200);
  const pids = [await pidOf(0), await pidOf(1)];

  const second = start({ PROXY_WORKERS: 2 });
  const adopted = await second.ready();
  expect([await pidOf(0), await pidOf(1)]).toEqual(pids);
  expect((await adopted.admin.getSession(session.sessionId)).status).toBe("open");
  expect((await adopted.admin.listPools()).filter(({ id }) => id === "late")).toHaveLength(2);
  second.child.kill("SIGKILL");
  await second.exited;

  // Workers that know another token would never be reached.
  const third = start({ PROXY_WORKERS: 2, PROXY_ADMIN_TOKEN: "another-token-of-a-test" });
  const renewed = await third.ready();
  const now = [await pidOf(0), await pidOf(1)];
  expect(now.filter((pid) => pids.includes(pid))).toEqual([]);
  expect((await renewed.admin.getSession(session.sessionId)).calls).toHaveLength(1);
  // One writer a folder.
  const stranger = start({ PROXY_WORKERS: 2 });
  expect(await stranger.exited).toBe(2);
  expect(stranger.stderr).toContain("belongs to the proxy with pid");
  await third.stop();
});

it("a second SIGTERM ends it at once, and what it had answered is still there", async () => {
  for (const workers of [1, 2]) {
    const program = start({ PROXY_WORKERS: workers });
    const { admin } = await program.ready();
    const session = await admin.openSession({ sessionId: `s-${workers}` });
    bench.say("ok");
    expect((await postChat(session, ask("Hi"), retry(0))).status).toBe(200);
    bench.scripts(() => ({ ids: bench.turnIds("never told"), delayMs: 60_000 }));
    const seen = bench.engine.seen.length;
    const cut = postChat(session, ask("Hi", "ok", "on"), retry(0)).then(
      () => "answered",
      () => "cut off",
    );
    await vi.waitFor(() => expect(bench.engine.seen).toHaveLength(seen + 1), patience);
    program.child.kill("SIGTERM");
    await sleep(500);
    expect(program.child.exitCode).toBeNull();
    program.child.kill("SIGTERM");
    expect(await program.exited).toBe(1);
    expect(await cut).toBe("cut off");
    const records = await listRecorded(recordsDirectory(dataDir));
    expect(await Promise.all(records.map(isAlive))).not.toContain(true);
    const again = start({ PROXY_WORKERS: workers });
    const back = await again.ready();
    const completed = await back.admin.completeSession(session.sessionId, {
      reward: null,
      termination: "cancelled",
    });
    const { calls } = await trajectoryAt(completed.path);
    expect(calls.map(({ status }) => status)).toEqual(["done", "incomplete"]);
    await again.stop();
  }
});

it("reads a file, advertises this host's own address, and keeps its free port", async () => {
  const primary = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === "IPv4" && !address.internal)?.address;
  const config = join(bench.directory, "proxy.yaml");
  await writeFile(config, `dataDir: ${dataDir}\nport: 0\nhost: 0.0.0.0\nadvertise: auto\n`);
  const program = start({ PROXY_DATA_DIR: "" }, ["--config", config]);
  if (primary === undefined) {
    expect(await program.exited).toBe(2);
    return;
  }
  const { agentUrls, admin } = await program.ready();
  expect(new URL(agentUrls[0]!).hostname).toBe(primary);
  const session = await admin.openSession({});
  expect((await postChat(session, ask("Hi"))).status).toBe(200);
  const written = JSON.parse(await readFile(join(dataDir, "proxy.json"), "utf8"));
  expect({ event: "ready", ...written }).toEqual(JSON.parse(program.stdout));
  await program.stop();
  const again = start({ PROXY_DATA_DIR: "" }, ["--config", config]);
  expect((await again.ready()).agentUrls).toEqual(agentUrls);
  expect(await readdir(join(dataDir, "proxy"))).toContain("admin.token");
});
