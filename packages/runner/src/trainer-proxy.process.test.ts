import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GenerateRequest } from "@liverl/contract/engine-api";
import { bodyOf, brokenLine, parseRepairRef } from "@liverl/contract/repair-task";
import { RolloutResult } from "@liverl/contract/rollout";
import { SessionOutline } from "@liverl/contract/session-view";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { EngineStandIn, type ScriptedTurn } from "@liverl/proxy/testing/engine-stand-in";
import { StandAlone } from "@liverl/proxy/testing/stand-alone";
import { writeModelFolder } from "@liverl/proxy/testing/write-model-folder";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { builtEntry } from "#testing/built-entry.ts";

const PATIENCE = { timeout: 180_000, interval: 50 };
const TOKEN = "the-token-of-a-training-host";
const task = parseRepairRef("repair/7");
const fn = task?.functions[task.brokenFunction];
if (!task || !fn) throw new Error("the task exists");

let dataDir: string;
let hostDir: string;
let engine: EngineStandIn;
let tokens: Record<string, number>;
let runner: ChildProcess;
let host: StandAlone;
let proxyUrl: string;
let delayMs = 0;

/** Repairs in its first turn, submits in its second. */
function policy({ token_ids }: GenerateRequest): ScriptedTurn {
  const messages = token_ids.filter((id) => id === tokens["<|im_start|>"]).length;
  const call =
    messages <= 3
      ? { name: "edit", arguments: { line: brokenLine(task!), code: bodyOf(fn!.intent) } }
      : { name: "submit", arguments: {} };
  const ids = [
    tokens["<tool_call>"] ?? 0,
    ...Buffer.from(`\n${JSON.stringify(call)}\n`),
    tokens["</tool_call>"] ?? 0,
    tokens["<|im_end|>"] ?? 0,
  ];
  return { ids, idsPerChunk: 200, delayMs };
}

async function startRunner(): Promise<void> {
  runner = spawn(process.execPath, [builtEntry("runner"), "--data-dir", dataDir], {
    stdio: "ignore",
  });
  const health = async () => {
    const answer = await fetch(`${await adminUrl()}/healthz`).catch(() => null);
    return answer?.json();
  };
  await expect.poll(() => health().catch(() => null), PATIENCE).toMatchObject({ proxy: "up" });
}

async function endRunner(signal: NodeJS.Signals): Promise<void> {
  const exited = new Promise((resolve) => runner.once("exit", resolve));
  runner.kill(signal);
  await exited;
}

const adminUrl = async () =>
  `http://127.0.0.1:${(await readFile(join(dataDir, "runner/port"), "utf8")).trim()}`;

async function ask(method: string, path: string, body?: object) {
  const token = (await readFile(join(dataDir, "runner/admin.token"), "utf8")).trim();
  const answer = await fetch(`${await adminUrl()}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  return { status: answer.status, content: (await answer.json()) as unknown };
}

const request = (rolloutId: string, patch: object = {}) => ({
  rolloutId,
  runId: "run-1",
  groupId: "g",
  taskRef: "repair/7",
  mode: "train",
  step: 0,
  sampling: { temperature: 1, max_tokens: 200 },
  proxy: { url: proxyUrl, token: TOKEN },
  ...patch,
});
const roll = async (rolloutId: string, patch: object = {}) =>
  ask("POST", "/api/v1/rollouts?wait=60", request(rolloutId, patch));
const pool = () => ({
  engines: [{ url: engine.url }],
  engineKeyPath: null,
  modelDir: join(hostDir, "model"),
  modelName: "m",
  maxModelLen: 4096,
});
const register = (runId: string, patch: object) =>
  ask("PUT", `/api/v1/runs/${runId}`, {
    ...{ project: "demo", pool: pool(), concurrency: 8, maxTurns: 5, rolloutTimeoutS: 60 },
    ...patch,
  });
const trajectoryAt = (session: string) =>
  join(dataDir, `harbor_trials/demo/run-1/step_0/${session}/proxy_trajectory.json`);
const readTrajectory = async (session: string) =>
  ProxyTrajectory.parse(JSON.parse(await readFile(trajectoryAt(session), "utf8")));

beforeEach(async () => {
  delayMs = 0;
  dataDir = await mkdtemp(join(tmpdir(), "liverl-runner-"));
  hostDir = await mkdtemp(join(tmpdir(), "liverl-host-"));
  tokens = await writeModelFolder(join(hostDir, "model"));
  engine = await EngineStandIn.start(policy);
  host = StandAlone.start(join(hostDir, "data"), { PROXY_ADMIN_TOKEN: TOKEN });
  const ready = await host.ready();
  proxyUrl = ready.adminUrl;
  await ready.admin.putPool("run-1", pool());
  await ready.admin.close();
  await startRunner();
  // A folder that this machine does not have: only the host's proxy reads it.
  await register("run-1", {
    trainerProxies: true,
    pool: { ...pool(), modelDir: "/on/the/host" },
  });
}, 300_000);

afterEach(async () => {
  if (runner.exitCode === null && runner.signalCode === null) await endRunner("SIGTERM");
  await host.stop();
  await engine.stop();
  await rm(dataDir, { recursive: true, force: true });
  await rm(hostDir, { recursive: true, force: true });
});

describe("rollouts of a trainer whose hosts have proxies of their own", () => {
  it("are sampled there, and their trajectories come here and leave there", async () => {
    delayMs = 300;
    const rolling = roll("r1");
    const outline = async () => ask("GET", "/api/v1/sessions/r1-a1/outline");
    await expect.poll(async () => (await outline()).status, PATIENCE).toBe(200);
    expect(SessionOutline.parse((await outline()).content).live).toBe(true);
    const { content } = await rolling;
    const result = RolloutResult.parse(content);
    expect(result).toMatchObject({ status: "succeeded", reward: 1 });
    const trajectory = await readTrajectory("r1-a1");
    expect(trajectory).toMatchObject({ reward: { reward: 1 }, termination: "agent-finished" });
    expect(SessionOutline.parse((await outline()).content).live).toBe(false);
    expect(result.segments[0]?.mask).toContain(1);
    const left = await readdir(join(hostDir, "data"), { recursive: true });
    expect(left.filter((path) => path.includes("r1-a1"))).toEqual([]);
    const journal = join(dataDir, "runner/journal");
    const written = await Promise.all(
      (await readdir(journal)).map((name) => readFile(join(journal, name), "latin1")),
    );
    expect(written.join()).toContain("r1");
    expect(written.join()).not.toContain(TOKEN);
  }, 300_000);

  it("go on after the runner was killed: a new attempt, and the old one's tokens come over, too", async () => {
    delayMs = 3_000;
    await ask("POST", "/api/v1/rollouts", request("r1"));
    await expect.poll(() => engine.seen.length, PATIENCE).toBeGreaterThan(0);
    await endRunner("SIGKILL");
    delayMs = 0;
    await startRunner();
    const { content } = await roll("r1");
    expect(RolloutResult.parse(content)).toMatchObject({ status: "succeeded", attempt: 2 });
    await expect
      .poll(() => readTrajectory("r1-a1").catch(() => null), PATIENCE)
      .toMatchObject({ termination: "infra-error" });
  }, 300_000);

  it("are refused where the run does not say so, and where they bring none", async () => {
    await ask("PUT", "/api/v1/runs/run-2", {
      ...{ project: "demo", concurrency: 8, maxTurns: 5, rolloutTimeoutS: 60 },
      pool: { ...pool(), modelDir: join(hostDir, "model") },
    });
    const strange = await roll("s1", { runId: "run-2" });
    expect(strange).toMatchObject({ status: 400 });
    expect(JSON.stringify(strange.content)).toContain("LiveRL's own proxy");
    const bare = await roll("s2", { proxy: undefined });
    expect(bare).toMatchObject({ status: 400 });
    expect(JSON.stringify(bare.content)).toContain("set proxy_mode to local");
    const outside = await ask("POST", "/api/v1/sessions", { runId: "run-1" });
    expect(outside.status).toBe(409);
  }, 300_000);
});
