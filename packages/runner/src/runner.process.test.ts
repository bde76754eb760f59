import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GenerateRequest } from "@liverl/contract/engine-api";
import { bodyOf, brokenLine, parseRepairRef } from "@liverl/contract/repair-task";
import { RolloutResult } from "@liverl/contract/rollout";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { findRecorded, isAlive } from "@liverl/durable/process";
import { EngineStandIn, type ScriptedTurn } from "@liverl/proxy/testing/engine-stand-in";
import { writeModelFolder } from "@liverl/proxy/testing/write-model-folder";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { builtEntry } from "#testing/built-entry.ts";

const PATIENCE = { timeout: 180_000, interval: 50 };
const task = parseRepairRef("repair/7");
const fn = task?.functions[task.brokenFunction];
if (!task || !fn) throw new Error("the task exists");

let dataDir: string;
let engine: EngineStandIn;
let tokens: Record<string, number>;
let runner: ChildProcess;
let delayMs = 0;

/** The stand-in's model has one token a byte beside its added ones, so that any text is easily sampled. */
function toolCall(name: string, given: object): number[] {
  const text = `\n${JSON.stringify({ name, arguments: given })}\n`;
  return [
    tokens["<tool_call>"] ?? 0,
    ...Buffer.from(text),
    tokens["</tool_call>"] ?? 0,
    tokens["<|im_end|>"] ?? 0,
  ];
}

/** Edits, tests, submits: the turn is told by the messages of the prompt. */
function policy({ token_ids }: GenerateRequest): ScriptedTurn {
  const messages = token_ids.filter((id) => id === tokens["<|im_start|>"]).length;
  if (messages <= 3)
    return {
      ids: toolCall("edit", { line: brokenLine(task!), code: bodyOf(fn!.intent) }),
      idsPerChunk: 200,
      delayMs,
    };
  if (messages <= 5) return { ids: toolCall("test", {}), idsPerChunk: 200, delayMs };
  return { ids: toolCall("submit", {}), idsPerChunk: 200, delayMs };
}

async function startRunner(): Promise<void> {
  runner = spawn(process.execPath, [builtEntry("runner"), "--data-dir", dataDir], {
    stdio: "ignore",
  });
  await expect.poll(health, PATIENCE).toMatchObject({ proxy: "up" });
}

async function health(): Promise<unknown> {
  try {
    return await (await fetch(`${await adminUrl()}/healthz`)).json();
  } catch {
    return null;
  }
}

const adminUrl = async () =>
  `http://127.0.0.1:${(await readFile(join(dataDir, "runner/port"), "utf8")).trim()}`;

async function ask(method: string, path: string, body?: object): Promise<unknown> {
  const token = (await readFile(join(dataDir, "runner/admin.token"), "utf8")).trim();
  const answer = await fetch(`${await adminUrl()}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  return answer.json();
}

const request = (rolloutId: string) => ({
  rolloutId,
  runId: "run-1",
  groupId: "g",
  taskRef: "repair/7",
  mode: "train",
  step: 0,
  sampling: { temperature: 1, max_tokens: 200 },
});
const roll = async (rolloutId: string) =>
  RolloutResult.parse(await ask("POST", "/api/v1/rollouts?wait=60", request(rolloutId)));
const proxyRecord = () => findRecorded(join(dataDir, "processes"), "proxy");
const gone = (child: ChildProcess) =>
  new Promise<void>((resolve) => child.once("exit", () => resolve()));

beforeEach(async () => {
  delayMs = 0;
  dataDir = await mkdtemp(join(tmpdir(), "liverl-runner-"));
  tokens = await writeModelFolder(join(dataDir, "model"));
  engine = await EngineStandIn.start(policy);
  await startRunner();
  await ask("PUT", "/api/v1/runs/run-1", {
    project: "demo",
    pool: {
      engines: [{ url: engine.url }],
      engineKeyPath: null,
      modelDir: join(dataDir, "model"),
      modelName: "m",
      maxModelLen: 4096,
    },
    concurrency: 8,
    maxTurns: 5,
    rolloutTimeoutS: 60,
  });
}, 300_000);

afterEach(async () => {
  if (runner.exitCode === null && runner.signalCode === null) {
    const exited = gone(runner);
    runner.kill("SIGTERM");
    await exited;
  }
  const record = await proxyRecord();
  if (record?.pid && (await isAlive(record))) process.kill(-record.pid, "SIGKILL");
  await engine.stop();
  await rm(dataDir, { recursive: true, force: true });
});

describe("the runner's process, with the real proxy", () => {
  it("gives each rollout the tokens that the engine saw and sampled", async () => {
    const results = await Promise.all(Array.from({ length: 8 }, (_, i) => roll(`r${i}`)));
    expect(results.map(({ reward, turns }) => [reward, turns])).toEqual(results.map(() => [1, 3]));
    const [segment] = results[0]?.segments ?? [];
    const longest = engine.seen.map(({ request: seen, sent }) =>
      [...seen.token_ids, ...sent].join(),
    );
    expect(longest).toContain(segment?.tokenIds.join());
    const text = await readFile(
      join(dataDir, "harbor_trials/demo/run-1/step_0/r0-a1/proxy_trajectory.json"),
      "utf8",
    );
    expect(ProxyTrajectory.parse(JSON.parse(text))).toMatchObject({
      reward: { reward: 1 },
      termination: "agent-finished",
    });
    expect(await ask("POST", "/api/v1/rollouts?wait=60", request("r0"))).toEqual(results[0]);

    const exited = gone(runner);
    const record = await proxyRecord();
    runner.kill("SIGTERM");
    await exited;
    expect(record && (await isAlive(record))).toBe(false);
  }, 300_000);

  it("killed in the middle of a rollout: the proxy is adopted, the rollout starts over, nothing answered is lost", async () => {
    const before = await roll("done");
    delayMs = 3_000;
    await ask("POST", "/api/v1/rollouts", request("r1"));
    const seen = engine.seen.length;
    await expect.poll(() => engine.seen.length, PATIENCE).toBeGreaterThan(seen);
    const record = await proxyRecord();
    const exited = gone(runner);
    runner.kill("SIGKILL");
    await exited;
    delayMs = 0;
    await startRunner();
    expect((await proxyRecord())?.pid).toBe(record?.pid);
    expect(await roll("r1")).toMatchObject({ status: "succeeded", reward: 1, attempt: 2 });
    expect(await roll("done")).toEqual(before);
  }, 300_000);

  it("starts a killed proxy again, and the agent goes on where it was", async () => {
    delayMs = 400;
    const rolling = roll("r1");
    const seen = engine.seen.length;
    await expect.poll(() => engine.seen.length, PATIENCE).toBeGreaterThan(seen);
    const record = await proxyRecord();
    process.kill(record?.pid ?? Number.NaN, "SIGKILL");
    expect(await rolling).toMatchObject({ status: "succeeded", reward: 1, attempt: 1 });
    expect((await proxyRecord())?.pid).not.toBe(record?.pid);
  }, 300_000);
});
