import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ctrf } from "@liverl/contract/ctrf";
import { OpenedSession } from "@liverl/contract/proxy-admin";
import { bodyOf, brokenLine, parseRepairRef } from "@liverl/contract/repair-task";
import { RolloutResult, TrialFeed } from "@liverl/contract/rollout";
import {
  OutsideSessionList,
  OutsideSessionView,
  SessionOutline,
} from "@liverl/contract/session-view";
import pino from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openProxyLink } from "#proxy-process/proxy-link.ts";
import { type RunningRunner, startRunner } from "#start-runner.ts";
import { builtEntry } from "#testing/built-entry.ts";
import {
  type ChatReply,
  type ChatTurn,
  type ProxyStandIn,
  startProxyStandIn,
} from "#testing/proxy-stand-in.ts";

const REF = "repair/7";
const task = parseRepairRef(REF);
const fn = task?.functions[task.brokenFunction];
if (!task || !fn) throw new Error("the task exists");

let dataDir: string;
let proxy: ProxyStandIn;
let runner: RunningRunner;

const start = () =>
  startRunner({
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

// Workers take a while to start, so all tests share one runner; each has a run of its own.
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "liverl-runner-"));
  proxy = await startProxyStandIn(dataDir);
  runner = await start();
});
afterAll(async () => {
  await runner.close();
  await proxy.close();
  await rm(dataDir, { recursive: true, force: true });
});

let runId = "";
let feedStart = 0;
let runs = 0;
beforeEach(async () => {
  runId = `run-${++runs}`;
  for (;;) {
    const { cursor } = await feed(feedStart);
    if (cursor === feedStart) break;
    feedStart = cursor;
  }
});

async function restart(): Promise<void> {
  await runner.close();
  runner = await start();
}

async function ask(
  method: string,
  path: string,
  body?: object,
  token = runner.token,
): Promise<{ status: number; content: unknown }> {
  const answer = await fetch(`http://127.0.0.1:${runner.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body ? JSON.stringify(body) : undefined,
  });
  const text = await answer.text();
  return { status: answer.status, content: path === "/metrics" ? text : JSON.parse(text) };
}

const RUN = {
  project: "demo",
  pool: {
    engines: [{ url: "http://127.0.0.1:1" }],
    engineKeyPath: null,
    modelDir: "/m",
    modelName: "m",
    maxModelLen: 1024,
  },
  concurrency: 4,
  maxTurns: 4,
  rolloutTimeoutS: 120,
};
const register = (patch: object = {}) => ask("PUT", `/api/v1/runs/${runId}`, { ...RUN, ...patch });
/** Ids are those of the test's own run: `r1` is `run-7.r1`. */
const idOf = (name: string) => `${runId}.${name}`;
const request = (name: string, patch: object = {}) => ({
  rolloutId: idOf(name),
  runId,
  groupId: "g",
  taskRef: REF,
  mode: "train",
  step: 2,
  sampling: { temperature: 1, max_tokens: 32 },
  ...patch,
});
const roll = async (name: string, patch: object = {}) => {
  for (;;) {
    const { status, content } = await ask("POST", "/api/v1/rollouts?wait=60", request(name, patch));
    if (status !== 202) return RolloutResult.parse(content);
  }
};
const edit = (code: string): ChatReply => ({
  tool: { name: "edit", arguments: { line: brokenLine(task), code } },
});
const submit: ChatReply = { tool: { name: "submit", arguments: {} } };
/** Repairs, tests, submits. */
const repair = ({ turn, messages }: ChatTurn): ChatReply => {
  if (turn === 0) return edit(bodyOf(fn.intent));
  if (turn === 1) return { tool: { name: "test", arguments: {} } };
  return messages.at(-1)?.content === "PASS" ? submit : edit("return 0");
};
const feed = async (after = feedStart) =>
  TrialFeed.parse((await ask("GET", `/api/v1/trials?after=${after}`)).content);
const folderOf = (step: string, name: string) =>
  `harbor_trials/demo/${runId}/${step}/${idOf(name)}`;
const isThere = (path: string) =>
  stat(join(dataDir, path)).then(
    () => true,
    () => false,
  );

describe("a rollout", () => {
  it("runs the agent and the verifier, answers with segments, and leaves Harbor's files", async () => {
    await register();
    proxy.reply = repair;
    const result = await roll("r1");
    expect(result).toMatchObject({
      status: "succeeded",
      reward: 1,
      termination: "agent-finished",
      turns: 3,
      attempt: 1,
      sessionId: idOf("r1-a1"),
    });
    expect(result.segments).toEqual([
      expect.objectContaining({ tokenIds: [1, 2, 3, 4, 5], mask: [0, 0, 0, 1, 1], reward: 1 }),
    ]);
    expect(result.timings.toolS).toBeGreaterThan(0);
    expect(proxy.opened.get(idOf("r1-a1"))).toMatchObject({
      poolId: runId,
      step: 2,
      sampling: { temperature: 1 },
    });
    expect(proxy.completed.get(idOf("r1-a1"))).toEqual({
      reward: { reward: 1 },
      termination: "agent-finished",
    });

    const folder = join(dataDir, folderOf("step_2", "r1-a1"));
    const harbor = JSON.parse(await readFile(join(folder, "result.json"), "utf8"));
    expect(harbor).toMatchObject({
      trial_name: idOf("r1-a1"),
      verifier_result: { rewards: { reward: 1 } },
      exception_info: null,
    });
    expect(JSON.parse(await readFile(join(folder, "config.json"), "utf8"))).toEqual(harbor.config);
    expect(await readFile(join(folder, "trial.log"), "utf8")).toMatch(
      /The agent ended after 3 turns: agent-finished\n.* The verifier: passed, reward 1\n/,
    );
    expect(await isThere(`${folderOf("step_2", "r1-a1")}/exception.txt`)).toBe(false);
    expect(JSON.parse(await readFile(join(folder, "artifacts/manifest.json"), "utf8"))).toEqual([
      expect.objectContaining({ destination: "artifacts/patch.diff", status: "ok" }),
    ]);
    expect(await readFile(join(folder, "verifier/reward.txt"), "utf8")).toBe("1\n");
    expect(await readFile(join(folder, "verifier/test-stdout.txt"), "utf8")).toMatch(
      /14 passed, 0 failed/,
    );
    const report = Ctrf.parse(
      JSON.parse(await readFile(join(folder, "verifier/ctrf.json"), "utf8")),
    );
    expect(report.results.tests.map(({ status }) => status)).toEqual(new Array(14).fill("passed"));
    expect(await readFile(join(folder, "artifacts/patch.diff"), "utf8")).toContain(
      `+  ${bodyOf(fn.intent)}`,
    );
    await expect
      .poll(() => isThere(`sandboxes/${idOf("r1-a1")}/src`), { timeout: 10_000 })
      .toBe(false);

    expect(await roll("r1")).toEqual(result);
    expect(
      (await ask("POST", "/api/v1/rollouts", request("r1", { taskRef: "repair/8" }))).status,
    ).toBe(409);
    const { changes, cursor } = await feed();
    expect(changes.map(({ status }) => status)).toEqual(["queued", "running", "succeeded"]);
    expect(changes.map((change) => change.cursor - feedStart)).toEqual([1, 2, 3]);
    expect(cursor).toBe(feedStart + 3);
    expect(changes[2]).toMatchObject({
      tokensSampled: 2,
      versionSpan: [3, 3],
      directory: folderOf("step_2", "r1-a1"),
    });
  });

  it("is found again after a restart, with its segments and its place in the feed", async () => {
    await register();
    proxy.reply = repair;
    const [result] = await Promise.all([roll("r1"), roll("e1", { mode: "eval" })]);
    const before = await feed(0);
    await restart();
    const job = await readFile(
      join(dataDir, folderOf("step_2", "r1-a1"), "../result.json"),
      "utf8",
    );
    expect(JSON.parse(job)).toMatchObject({
      n_total_trials: 1,
      stats: { evals: { "liverl-repair__m__repair": { metrics: [{ mean: 1 }] } } },
    });
    const sessions = proxy.opened.size;
    expect(await roll("r1")).toEqual(result);
    expect(proxy.opened.size).toBe(sessions);
    expect(await feed(0)).toEqual(before);
    await roll("r2");
    expect((await feed(before.cursor)).changes.map((change) => change.cursor)).toEqual(
      [1, 2, 3].map((i) => before.cursor + i),
    );
    expect(await isThere(`${folderOf("eval_2", "e1-a1")}/result.json`)).toBe(true);
  });

  it("that was running at a restart starts over as a new attempt, never as a reward of 0", async () => {
    await register();
    proxy.reply = () => "hang";
    expect((await ask("POST", "/api/v1/rollouts?wait=0", request("r1"))).status).toBe(202);
    await expect.poll(() => proxy.opened.has(idOf("r1-a1")), { timeout: 60_000 }).toBe(true);
    proxy.reply = repair;
    await restart();
    expect(await roll("r1")).toMatchObject({
      status: "succeeded",
      reward: 1,
      attempt: 2,
      sessionId: idOf("r1-a2"),
    });
    await expect
      .poll(() => proxy.completed.get(idOf("r1-a1")), { timeout: 60_000 })
      .toEqual({ reward: null, termination: "infra-error" });
    expect((await feed()).changes.map(({ status, attempt }) => `${status} ${attempt}`)).toEqual([
      "queued 1",
      "running 1",
      "queued 2",
      "running 2",
      "succeeded 2",
    ]);
  });

  it("that left its session to a life that died before it froze it is frozen by the next one", async () => {
    await register();
    proxy.reply = () => "hang";
    await ask("POST", "/api/v1/rollouts?wait=0", request("r1"));
    await expect.poll(() => proxy.opened.has(idOf("r1-a1")), { timeout: 60_000 }).toBe(true);
    proxy.reply = repair;
    await restart();
    expect(await roll("r1")).toMatchObject({ attempt: 2 });
    const frozen = () => proxy.completed.get(idOf("r1-a1"));
    await expect.poll(frozen, { timeout: 60_000 }).toBeDefined();
    proxy.completed.delete(idOf("r1-a1"));
    await restart();
    await expect
      .poll(frozen, { timeout: 60_000 })
      .toEqual({ reward: null, termination: "infra-error" });
    expect(proxy.completed.get(idOf("r1-a2"))).toMatchObject({ termination: "agent-finished" });
  });

  it("of an earlier life waits until it is asked for again, and goes with its run", async () => {
    await register();
    proxy.reply = () => "hang";
    await ask("POST", "/api/v1/rollouts?wait=0", request("r1"));
    await expect.poll(() => proxy.opened.has(idOf("r1-a1")), { timeout: 60_000 }).toBe(true);
    await restart();
    expect((await ask("DELETE", `/api/v1/runs/${runId}`)).content).toEqual({ cancelled: 1 });
    expect((await feed()).changes.map(({ status }) => status)).toEqual([
      "queued",
      "running",
      "queued",
      "cancelled",
    ]);
    expect(proxy.opened.has(idOf("r1-a2"))).toBe(false);
  });

  it.each<[string, (turn: ChatTurn) => ChatReply, object]>([
    [
      "gives up at the turns' end",
      () => edit("return 0"),
      { termination: "max-turns", reward: 0, turns: 4 },
    ],
    [
      "ends after two bad calls",
      ({ turn }) => (turn === 0 ? { content: "hello" } : { tool: { name: "fly", arguments: {} } }),
      { termination: "agent-error", reward: 0, turns: 2 },
    ],
    [
      "ends when the context is full",
      () => ({
        status: 400,
        body: { error: { code: "context_length_exceeded", message: "too long" } },
      }),
      { termination: "context-overflow", reward: 0 },
    ],
    [
      "is told of a bad line",
      ({ turn, messages }) =>
        turn === 0
          ? { tool: { name: "edit", arguments: { line: 99, code: "x" } } }
          : messages.at(-1)?.content === "ERROR bad line" || turn > 1
            ? repairNow(turn)
            : "hang",
      { termination: "agent-finished", reward: 1 },
    ],
    [
      "survives arguments that are not JSON once",
      ({ turn, messages }) =>
        turn === 0
          ? { tool: { name: "edit", arguments: "{" } }
          : messages.at(-1)?.content === "ERROR bad call" || turn > 1
            ? repairNow(turn)
            : "hang",
      { termination: "agent-finished", reward: 1 },
    ],
  ])("%s", async (_, reply, expected) => {
    await register();
    proxy.reply = reply;
    expect(await roll("r1")).toMatchObject({ status: "succeeded", ...expected });
  });
  const repairNow = (turn: number): ChatReply => (turn === 1 ? edit(bodyOf(fn.intent)) : submit);

  it("that runs out of time is verified all the same", async () => {
    await register({ rolloutTimeoutS: 5 });
    proxy.reply = ({ turn }) => (turn === 0 ? edit(bodyOf(fn.intent)) : "hang");
    expect(await roll("r1")).toMatchObject({
      status: "succeeded",
      termination: "timeout",
      reward: 1,
      turns: 1,
      error: null,
    });
    const harbor = JSON.parse(
      await readFile(join(dataDir, folderOf("step_2", "r1-a1"), "result.json"), "utf8"),
    );
    expect(harbor.exception_info.exception_type).toBe("AgentTimeoutError");
  });
});

describe("infrastructure", () => {
  it("that fails once costs a new attempt; twice, a typed error and no reward", async () => {
    await register();
    proxy.reply = (turn) =>
      turn.sessionId === idOf("r1-a1") ? { status: 404, body: {} } : repair(turn);
    expect(await roll("r1")).toMatchObject({ status: "succeeded", reward: 1, attempt: 2 });
    proxy.reply = () => ({ status: 404, body: {} });
    const failed = await roll("r2");
    expect(failed).toMatchObject({
      status: "failed",
      reward: null,
      termination: "infra-error",
      attempt: 2,
      segments: [],
    });
    expect(failed.error?.exception_type).toBe("ApiProviderResourceNotFoundError");
    expect(proxy.completed.get(idOf("r2-a1"))).toEqual({
      reward: null,
      termination: "infra-error",
    });
    // What it sampled is there to be read, though none of it trains.
    const { changes } = await feed(feedStart);
    expect(changes.findLast(({ rolloutId }) => rolloutId === idOf("r2"))).toMatchObject({
      ...{ status: "failed", tokensSampled: 2, reward: null },
    });
  });

  it("a dead agent worker costs a new attempt", async () => {
    await register();
    let hung = false;
    proxy.reply = (turn) => {
      if (turn.sessionId !== idOf("r1-a1")) return repair(turn);
      hung = true;
      return "hang";
    };
    const rolling = roll("r1");
    await expect.poll(() => hung, { timeout: 60_000 }).toBe(true);
    process.kill(runner.ctx.agents.pid ?? Number.NaN, "SIGKILL");
    expect(await rolling).toMatchObject({ status: "succeeded", reward: 1, attempt: 2 });
    expect(String((await ask("GET", "/metrics")).content)).toMatch(
      /agent_worker_restarts_total [1-9]/,
    );
  });

  it("a proxy that is away for a while costs only time: the agent says that it retries", async () => {
    await register();
    let away: Promise<void> | null = null;
    let retries = 0;
    proxy.reply = (turn) => {
      retries = Math.max(retries, turn.retries);
      if (!away) {
        away = proxy.goAwayFor(500);
        return "hang";
      }
      return repair({ ...turn, turn: turn.turn - 1 });
    };
    expect(await roll("r1")).toMatchObject({ status: "succeeded", reward: 1, attempt: 1 });
    expect(retries).toBeGreaterThan(0);
  });
});

describe("runs", () => {
  it("keep to their concurrency", async () => {
    await register({ concurrency: 2 });
    let inFlight = 0;
    let peak = 0;
    proxy.reply = (turn) => {
      inFlight += turn.turn === 0 ? 1 : 0;
      peak = Math.max(peak, inFlight);
      const reply = repair(turn);
      if (reply === submit) inFlight--;
      return reply;
    };
    const results = await Promise.all(Array.from({ length: 8 }, (_, i) => roll(`r${i}`)));
    expect(results.every(({ reward }) => reward === 1)).toBe(true);
    expect(peak).toBe(2);
  });

  it("that are removed cancel what waits and what runs; registered again, they take it anew", async () => {
    await register({ concurrency: 1 });
    proxy.reply = () => "hang";
    const running = roll("r1");
    await expect.poll(() => proxy.opened.has(idOf("r1-a1")), { timeout: 60_000 }).toBe(true);
    const waiting = roll("r2");
    await expect.poll(async () => (await feed()).changes.length, { timeout: 60_000 }).toBe(3);
    expect((await ask("DELETE", `/api/v1/runs/${runId}`)).content).toEqual({ cancelled: 2 });
    expect(await running).toMatchObject({
      status: "cancelled",
      termination: "cancelled",
      reward: null,
    });
    expect(await waiting).toMatchObject({ status: "cancelled", reward: null });
    expect(proxy.completed.get(idOf("r1-a1"))).toEqual({ reward: null, termination: "cancelled" });
    expect((await ask("POST", "/api/v1/rollouts", request("r3"))).status).toBe(404);
    expect(proxy.pools.has(runId)).toBe(false);
    proxy.reply = repair;
    await register();
    expect(proxy.pools.has(runId)).toBe(true);
    expect(await roll("r1")).toMatchObject({ status: "succeeded", attempt: 2 });
  });
});

describe("a trainer that starts over", () => {
  it("has what is unfinished cancelled and taken anew, and finds again what is finished", async () => {
    await register({ concurrency: 1 });
    proxy.reply = repair;
    const finished = await roll("r0");
    proxy.reply = () => "hang";
    await ask("POST", "/api/v1/rollouts?wait=0", request("r1"));
    await expect.poll(() => proxy.opened.has(idOf("r1-a1")), { timeout: 60_000 }).toBe(true);
    await ask("POST", "/api/v1/rollouts?wait=0", request("r2"));
    const cancel = () => ask("DELETE", `/api/v1/runs/${runId}/trials`);
    expect(await cancel()).toEqual({ status: 200, content: { cancelled: 2 } });
    proxy.reply = repair;
    expect(await Promise.all(["r0", "r1", "r2"].map((name) => roll(name)))).toMatchObject([
      finished,
      { status: "succeeded", reward: 1, attempt: 2 },
      { status: "succeeded", reward: 1, attempt: 2 },
    ]);
    expect(proxy.completed.get(idOf("r1-a1"))).toEqual({ reward: null, termination: "cancelled" });
    expect(await cancel()).toEqual({ status: 200, content: { cancelled: 0 } });
    expect((await ask("DELETE", "/api/v1/runs/nobody/trials")).content).toEqual({ cancelled: 0 });
  });
});

describe("the admin API", () => {
  it("asks for its token everywhere but at /healthz", async () => {
    for (const [method, path] of [
      ["GET", "/metrics"],
      ["PUT", "/api/v1/runs/x"],
      ["POST", "/api/v1/rollouts"],
      ["GET", "/api/v1/trials"],
      ["POST", "/api/v1/sessions"],
      ["GET", "/nowhere"],
    ] as const) {
      expect(
        (await ask(method, path === "/metrics" ? "/metrics?" : path, undefined, "wrong")).status,
      ).toBe(401);
    }
    const health = await fetch(`http://127.0.0.1:${runner.port}/healthz`);
    expect(await health.json()).toMatchObject({
      proxy: "up",
      agentUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    });
  });

  it("says what is wrong with a request", async () => {
    await register();
    expect(
      (await ask("POST", "/api/v1/rollouts", request("r1", { taskRef: "repair/x" }))).status,
    ).toBe(400);
    expect((await ask("POST", "/api/v1/rollouts", { rolloutId: "r1" })).status).toBe(400);
    expect((await ask("POST", "/api/v1/rollouts?wait=61", request("r1"))).status).toBe(400);
    expect((await ask("PUT", "/api/v1/runs/..%2fx", RUN)).status).toBe(400);
    expect((await ask("GET", "/api/v1/rollouts/none")).status).toBe(404);
  });

  it("lists the sessions of outside agents, and reads them from their files once they are over", async () => {
    await register();
    const opened = (await ask("POST", "/api/v1/sessions", { runId, taskId: "mine" })).content;
    const { sessionId } = opened as { sessionId: string };
    const row = async () => {
      const { content } = await ask("GET", "/api/v1/sessions");
      const { sessions } = OutsideSessionList.parse(content);
      return sessions.find((session) => session.sessionId === sessionId);
    };
    expect(await row()).toMatchObject({ runId, taskId: "mine", state: "open", completedAt: null });
    // The stand-in knows no outlines: nothing of a live session is made up.
    for (const path of ["outline", "segments", "atif"])
      expect((await ask("GET", `/api/v1/sessions/${sessionId}/${path}`)).status, path).toBe(404);
    const one = async () =>
      OutsideSessionView.parse((await ask("GET", `/api/v1/sessions/${sessionId}`)).content);
    expect(await one()).toEqual(await row());
    await ask("POST", `/api/v1/sessions/${sessionId}/complete`, { reward: 1 });
    await restart();
    expect(await one()).toMatchObject({
      ...{ sessionId, taskId: "mine", state: "complete", calls: 0, tokensSampled: 2 },
      ...{ segments: 1, reward: { reward: 1 }, termination: "agent-finished" },
      path: expect.stringMatching(new RegExp(`/${sessionId}/proxy_trajectory.json$`)),
    });
    expect((await ask("GET", "/api/v1/sessions/nobody")).status).toBe(404);
    expect(await row()).toMatchObject({
      taskId: "mine",
      state: "complete",
      calls: 0,
      reward: { reward: 1 },
      termination: "agent-finished",
    });
    const { content } = await ask("GET", `/api/v1/sessions/${sessionId}/outline`);
    expect(SessionOutline.parse(content)).toMatchObject({ sessionId, live: false });
    const flat = await ask("GET", `/api/v1/sessions/${sessionId}/segments`);
    expect(flat.content).toMatchObject({ segments: [{ trainable: true, reward: 1 }] });
    const exported = await ask("GET", `/api/v1/sessions/${sessionId}/atif?agent=mini`);
    expect(exported.content).toMatchObject({
      atif: { schema_version: "ATIF-v1.7", session_id: sessionId, agent: { name: "mini" } },
    });
    const away = await ask("GET", "/api/v1/sessions/unknown-a1/segments?directory=../../etc");
    expect(away.status).toBe(404);
    for (const path of ["calls/99", "forks/99", "tokens", "..%2f..%2frunner"])
      expect((await ask("GET", `/api/v1/sessions/${sessionId}/${path}`)).status, path).toBe(404);
    expect((await ask("GET", "/api/v1/sessions/..%2f../outline")).status).toBe(404);
  });

  it("opens sessions for outside agents and freezes them once", async () => {
    expect((await ask("POST", "/api/v1/sessions", { runId: "nobody" })).status).toBe(404);
    await register();
    const { content } = await ask("POST", "/api/v1/sessions", { taskId: "mine" });
    const { sessionId, baseUrl } = content as { sessionId: string; baseUrl: string };
    expect(baseUrl).toMatch(new RegExp(`/sess/${sessionId}/v1$`));
    expect(proxy.opened.get(sessionId)).toMatchObject({
      directory: join(dataDir, "sessions", sessionId),
      taskId: "mine",
    });
    const path = join(dataDir, "sessions", sessionId, "proxy_trajectory.json");
    const end = async (body: object) => ask("POST", `/api/v1/sessions/${sessionId}/complete`, body);
    expect((await end({ termination: "late" })).content).toMatchObject({
      error: { message: expect.stringMatching(/^termination: Invalid option.*"timeout"/) },
    });
    expect((await end({ rewrd: 1 })).status).toBe(400);
    expect(proxy.completed.has(sessionId)).toBe(false);
    const ended = {
      status: 200,
      content: {
        ...{ path, calls: 0, tokensSampled: 2, segments: 1, versionSpan: [3, 3] },
        ...{ reward: { reward: 0.5 }, termination: "timeout" },
      },
    };
    expect(await end({ reward: 0.5, termination: "timeout" })).toEqual(ended);
    expect(proxy.completed.get(sessionId)?.termination).toBe("timeout");
    await restart();
    for (const same of [{}, { reward: 0.5 }, { reward: { reward: 0.5 } }])
      expect(await end(same)).toEqual(ended);
    for (const other of [{ reward: 1 }, { reward: null }, { termination: "agent-finished" }])
      expect(await end(other), JSON.stringify(other)).toMatchObject({
        ...{ status: 409, content: { error: { code: "CONFLICT" } } },
      });
    expect((await end({ reward: 1 })).content).toMatchObject({
      error: { message: expect.stringContaining('complete already, with reward {"reward":0.5}:') },
    });
  });

  it("hands an outside agent's settings on, and refuses what there is not", async () => {
    await register();
    const open = (body: object) => ask("POST", "/api/v1/sessions", body);
    const opened = async (body: object) => {
      const { sessionId } = OpenedSession.parse((await open(body)).content);
      return proxy.opened.get(sessionId);
    };
    expect(await opened({})).toMatchObject({
      ...{ mode: "train", sampling: null, maxCalls: 10_000, trains: ["main"], stream: "durable" },
    });
    const asked = {
      ...{ mode: "eval", sampling: { temperature: 0.5, max_tokens: 9 }, maxCalls: 3 },
      ...{ trains: ["main", "subagent"], stream: "live" },
    };
    expect(await opened(asked)).toMatchObject(asked);
    const before = proxy.opened.size;
    for (const wrong of [{ engine: "vllm" }, { model: "m" }, { maxCalls: 0 }, { stream: "fast" }])
      expect((await open(wrong)).status, JSON.stringify(wrong)).toBe(400);
    expect(proxy.opened.size).toBe(before);
  });
});
