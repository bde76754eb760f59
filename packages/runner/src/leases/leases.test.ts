import { readFileSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Lease } from "@liverl/contract/lease";
import { RolloutResult } from "@liverl/contract/rollout";
import { SandboxReport } from "@liverl/contract/sandbox";
import { makeTemporaryDirectory } from "@liverl/proxy/testing/make-temporary-directory";
import pino from "pino";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { HomeClient } from "#joined/home-client.ts";
import { TaskCache } from "#joined/task-cache.ts";
import { openProxyLink } from "#proxy-process/proxy-link.ts";
import { packFolder } from "#sandboxes/pack-folder.ts";
import { type RunningRunner, startRunner } from "#start-runner.ts";
import { builtEntry } from "#testing/built-entry.ts";
import { makeFolder, TASKS, writeFiles } from "#testing/make-task.ts";
import { type ProxyStandIn, startProxyStandIn } from "#testing/proxy-stand-in.ts";

// The joined runner is played by its client; `e2e/reality/docker` has real ones, with containers and kills.
const { signal } = new AbortController();
const asks = { runner: "east", slots: 4, sandbox: "docker" as const };
const TASK = join(TASKS, "hello");

let dataDir: string;
let proxy: ProxyStandIn;
let home: RunningRunner;
let client: HomeClient;
beforeAll(async () => {
  dataDir = await makeTemporaryDirectory("leases");
  proxy = await startProxyStandIn(dataDir);
  home = await startRunner({
    config: {
      dataDir,
      entries: {
        proxy: "",
        agentWorker: builtEntry("agent-worker"),
        codeWorker: builtEntry("code-worker"),
        sandboxTunnel: builtEntry("sandbox-tunnel"),
      },
      pythonFolder: "not-used",
    },
    log: pino({ level: "silent" }),
    proxyLink: openProxyLink({ dataDir }),
  });
  client = new HomeClient({
    url: `http://127.0.0.1:${home.port}`,
    tokenPath: join(dataDir, "runner", "join.token"),
  });
});
afterAll(async () => {
  await client.close();
  await home.close();
  await proxy.close();
  await rm(dataDir, { recursive: true, force: true });
});

let runs = 0;
let runId = "";
beforeEach(async () => {
  runId = `run-${++runs}`;
  await ask("PUT", `/api/v1/runs/${runId}`, {
    project: "demo",
    pool: {
      engines: [{ url: "http://127.0.0.1:9" }],
      engineKeyPath: null,
      modelDir: "/model",
      modelName: "m",
      maxModelLen: 4_096,
    },
    ...{ concurrency: 4, maxTurns: 4, rolloutTimeoutS: 60, agent: "oracle" },
  });
});

async function ask(method: string, path: string, body?: object, token = home.token) {
  const answer = await fetch(`http://127.0.0.1:${home.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, content: (await answer.json()) as unknown };
}

async function roll(): Promise<RolloutResult> {
  const { content } = await ask("POST", "/api/v1/rollouts?wait=60", {
    rolloutId: `${runId}-0`,
    ...{ runId, groupId: "g", taskRef: TASK, mode: "train", step: 1 },
    sampling: { temperature: 1, max_tokens: 100 },
  });
  return RolloutResult.parse(content);
}

async function takeLease(): Promise<Lease> {
  const lease = await client.lease(asks, 30, signal);
  if (!lease) throw new Error("no lease came");
  return lease;
}

const outcome = {
  status: "succeeded" as const,
  reward: 1,
  termination: "agent-finished" as const,
  turns: 1,
  timings: { queueS: 0, setupS: 0, agentS: 0, generateS: 0, toolS: 0, verifyS: 0 },
  flags: [],
  endedAt: new Date().toISOString(),
};
const COMPLETED = { reward: { reward: 1 }, termination: "agent-finished" as const };

it("gives an attempt away, and has its session, its files and its outcome", async () => {
  const taking = takeLease();
  const rolling = roll();
  const { leaseId, change, taskDigest, request } = await taking;
  expect(request).toMatchObject({ rolloutId: `${runId}-0`, taskRef: TASK });

  const cache = new TaskCache(await makeFolder("tasks"));
  const folder = await cache.ensure(taskDigest, "hello", () => client.download(leaseId, "task"));
  expect(await readdir(folder)).toEqual(await readdir(TASK));

  const at = new Date().toISOString();
  const facts = { image: "i", place: "east", cpus: 1, memoryMb: 512 };
  const now = { phase: "agent", state: "running", at, deadlineAt: null } as const;
  const beat = { phase: { ...now, sandbox: { name: "c1", facts } }, log: "first line\n" };
  expect(await client.heartbeat(leaseId, beat)).toEqual({ cancelled: false });
  await client.heartbeat(leaseId, { ...beat, log: "second line\n" });
  const { content } = await ask("GET", "/api/v1/sandboxes");
  const report = SandboxReport.parse(content);
  expect(report.runners).toMatchObject([{ name: "east", slots: 4, trials: 1 }]);
  expect(report.trials).toMatchObject([
    { runner: "east", sandbox: "c1", phase: "agent", state: "running", ...facts },
  ]);

  const { apiKey } = await client.openSession(leaseId, 10);
  const call = (key: string) =>
    fetch(`${client.url}/api/v1/leases/${leaseId}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hello" }] }),
    });
  expect((await call(apiKey)).status).toBe(200);
  expect((await call("another")).status).toBe(401);

  await client.completeSession(leaseId, COMPLETED);
  const trajectory = await text(await client.download(leaseId, "trajectory"));
  expect(JSON.parse(trajectory)).toMatchObject({ sessionId: change.sessionId });
  const left = await makeFolder("left");
  await writeFiles(left, { "trial.log": "first line\nsecond line\n", "verifier/reward.txt": "1" });
  await client.files(leaseId, () => packFolder(left, "trial"));
  await client.result(leaseId, { outcome });

  expect(await rolling).toMatchObject({ status: "succeeded", reward: 1, attempt: 1 });
  const root = join(dataDir, "harbor_trials/demo", runId, "step_1", change.sessionId);
  expect(await readFile(join(root, "trial.log"), "utf8")).toBe("first line\nsecond line\n");
  expect(await readFile(join(root, "phases.jsonl"), "utf8")).toBe(
    `${JSON.stringify({ phase: "agent", at })}\n`,
  );
  expect(await readFile(join(root, "verifier/reward.txt"), "utf8")).toBe("1");
  // It is over, here and there.
  await expect(client.heartbeat(leaseId, beat)).rejects.toMatchObject({ status: 404 });
});

it("takes no outcome of a session that nobody froze, and tries again", async () => {
  const rolling = roll();
  const first = await takeLease();
  const taking = takeLease();
  await client.result(first.leaseId, { outcome });
  const second = await taking;
  expect(second.change).toMatchObject({ attempt: 2 });
  await client.openSession(second.leaseId, 10);
  await client.completeSession(second.leaseId, COMPLETED);
  await client.result(second.leaseId, { outcome });
  expect(await rolling).toMatchObject({ reward: 1, attempt: 2 });
});

it("holds nothing against a trial whose runner was stopped", async () => {
  const failure = {
    exception_type: "RunnerStoppedError",
    exception_message: "stopped",
    occurred_at: new Date().toISOString(),
  };
  let taking = takeLease();
  const rolling = roll();
  for (let at = 1; at <= 3; at++) {
    const { leaseId } = await taking;
    taking = takeLease();
    await client.result(leaseId, { failure, stopped: true, flags: [] });
  }
  const last = await taking;
  expect(last.change.attempt).toBe(4);
  await client.openSession(last.leaseId, 10);
  await client.completeSession(last.leaseId, COMPLETED);
  await client.result(last.leaseId, { outcome });
  expect(await rolling).toMatchObject({ status: "succeeded", reward: 1 });
});

it("tells who works on an attempt that it was cancelled", async () => {
  const taking = takeLease();
  const rolling = roll();
  const { leaseId } = await taking;
  await client.openSession(leaseId, 10);
  const removing = ask("DELETE", `/api/v1/runs/${runId}`);
  await expect
    .poll(() => client.heartbeat(leaseId, { phase: null, log: "" }), { timeout: 10_000 })
    .toEqual({ cancelled: true });
  await client.completeSession(leaseId, { reward: null, termination: "cancelled" });
  const cancelled = { status: "cancelled", reward: null, termination: "cancelled" } as const;
  await client.result(leaseId, { outcome: { ...outcome, ...cancelled } });
  expect(await rolling).toMatchObject({ status: "cancelled", reward: null });
  await removing;
});

it("opens nothing else to a joined runner, and refuses one with another kind of sandboxes", async () => {
  const token = readFileSync(join(dataDir, "runner", "join.token"), "utf8").trim();
  expect(await ask("GET", "/api/v1/trials", undefined, token)).toMatchObject({ status: 403 });
  const trainer = readFileSync(join(dataDir, "runner", "trainer.token"), "utf8").trim();
  expect(await ask("POST", "/api/v1/leases", asks, trainer)).toMatchObject({ status: 403 });
  const files = await fetch(`${client.url}/api/v1/leases/x/task`, {
    headers: { authorization: `Bearer ${trainer}` },
  });
  expect(files.status).toBe(404);
  await expect(client.lease({ ...asks, sandbox: "kubernetes" }, 0, signal)).rejects.toMatchObject({
    status: 400,
    userMessage: expect.stringContaining("start it with LIVERL_SANDBOX=docker"),
  });
});
