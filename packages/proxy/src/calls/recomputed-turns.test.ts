import { spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { EngineLogRecord } from "@liverl/contract/engine-api";
import type { GivenNode } from "@liverl/contract/trajectory";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import pino from "pino";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { AdminClient } from "#admin-client.ts";
import { EmbeddedEngine } from "#testing/embedded-engine.ts";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";
import { type ChatAnswer, postChat } from "#testing/proxy-bench.ts";

// The proxy before the real embedded engine, whose weights a process of their own computes anew from.
let engine: EmbeddedEngine;
beforeAll(async () => {
  engine = await EmbeddedEngine.start();
});
afterAll(() => engine.stop());

const EDITED = "I fixed line 3.\n\nDone.";
const user = (content: string) => ({ role: "user", content });

/** A proxy of its own on a new folder. `environment` counts from its first line on. */
async function open(environment: Record<string, string> = {}) {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  vi.resetModules();
  const { startProxy } = await import("#start-proxy.ts");
  const { loadRenderer } = await import("#renderer/load-renderer.ts");
  vi.unstubAllEnvs();
  const dataDir = await makeTemporaryDirectory("recomputed");
  const start = () => startProxy({ dataDir, log: pino({ level: "silent" }) });
  let proxy = await start();
  let admin = new AdminClient({ url: proxy.adminUrl, token: proxy.adminToken });
  const modelDir = join(engine.run, "model");
  await admin.putPool("pool", {
    ...{ engines: [{ url: engine.url }], engineKeyPath: engine.keyPath, modelDir },
    ...{ modelName: "tiny", maxModelLen: 1024 },
  });
  const session = await admin.openSession({
    ...{ poolId: "pool", mode: "train", trains: ["main", "recomputed"] },
    sampling: { temperature: 0.8, max_tokens: 8 },
  });
  return {
    renderer: await loadRenderer(modelDir),
    session,
    admin: () => admin,
    ask: async (messages: object[]): Promise<ChatAnswer> => {
      const { status, body } = await postChat(session, { messages });
      expect(status).toBe(200);
      return body;
    },
    restart: async () => {
      await admin.close();
      await proxy.stop();
      proxy = await start();
      admin = new AdminClient({ url: proxy.adminUrl, token: proxy.adminToken });
    },
    complete: async () => {
      const end = { reward: { reward: 1 }, termination: "agent-finished" as const };
      const completed = await admin.completeSession(session.sessionId, end);
      const text = await readFile(completed.path, "utf8");
      return { completed, trajectory: ProxyTrajectory.parse(JSON.parse(text)) };
    },
    stop: async () => {
      await admin.close();
      await proxy.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Two calls: between them the client puts other words into the agent's mouth. */
async function editTurn(bench: Awaited<ReturnType<typeof open>>): Promise<void> {
  await bench.ask([user("Fix it.")]);
  await bench.ask([user("Fix it."), { role: "assistant", content: EDITED }, user("Sure?")]);
}

/** Largest difference from what the stored weights give, as `audit-logprobs.mjs` computes it. */
async function differenceFromWeights(call: object): Promise<number> {
  const child = spawn(process.execPath, ["dist/audit-logprobs.mjs"], { stdio: "pipe" });
  child.stdin.end(`${JSON.stringify({ runDir: engine.run, ...call })}\n`);
  const text = (await child.stdout.toArray()).join("");
  return (JSON.parse(text) as { maxDiff: number }).maxDiff;
}

it("a turn that the client edited trains by what the engine's weights give for exactly its tokens", async () => {
  const bench = await open();
  await editTurn(bench);
  await vi.waitFor(async () => {
    const { lossy } = await bench.admin().getSession(bench.session.sessionId);
    expect(lossy).toMatchObject({ turns: 1, recomputed: expect.any(Number) });
    expect((lossy as { recomputed: number }).recomputed).toBeGreaterThan(0);
  });
  await bench.restart();
  const { completed, trajectory } = await bench.complete();
  const node = trajectory.nodes.find((one): one is GivenNode => "lossyTurns" in one)!;
  const [[from, to]] = node.lossyTurns as [[number, number]];
  expect(bench.renderer.decode(node.tokenIds.slice(from, to))).toBe(
    `${EDITED}${bench.renderer.decode([bench.renderer.closeId])}`,
  );
  const { version, logprobs, temperature, requestId } = node.recomputed!;
  expect(version).toBe(3);
  const call = {
    promptIds: node.tokenIds.slice(0, from),
    ids: node.tokenIds.slice(from, to),
    versions: logprobs.map(() => 3),
    ...{ logprobs, temperature },
  };
  expect(await differenceFromWeights(call)).toBeLessThan(1e-4);
  // At another temperature they are not what the weights give: the comparison can fail.
  expect(await differenceFromWeights({ ...call, temperature: 1 })).toBeGreaterThan(1e-3);

  const segment = completed.segments.find(({ recomputed }) => recomputed)!;
  const marked = segment.recomputed!.flatMap((bit, at) => (bit === 1 ? [at] : []));
  expect(marked).toEqual(logprobs.map((_, i) => from + i));
  expect(segment.mask.slice(from, to)).toEqual(logprobs.map(() => 1));
  expect(segment.mask[from - 1]).toBe(0);
  expect(segment.logprobs.slice(from, to)).toEqual(logprobs);
  expect(segment.policyVersions.slice(from, to)).toEqual(logprobs.map(() => 3));
  const log = await readFile(join(engine.run, "engine-0.jsonl"), "utf8");
  const records = log
    .trim()
    .split("\n")
    .map((line) => EngineLogRecord.parse(JSON.parse(line)));
  expect(records.find((record) => record.requestId === requestId)?.promptIds).toEqual(
    node.tokenIds,
  );
  await bench.stop();
});

it("stays untrained where the switch is off", async () => {
  const bench = await open({ LIVERL_RECOMPUTE_LOGPROBS: "0" });
  await editTurn(bench);
  const { completed, trajectory } = await bench.complete();
  const node = trajectory.nodes.find((one): one is GivenNode => "lossyTurns" in one)!;
  expect(node.recomputed).toBeUndefined();
  expect(completed.segments.flatMap(({ recomputed }) => recomputed ?? [])).toEqual([]);
  const [[from, to]] = node.lossyTurns as [[number, number]];
  const segment = completed.segments.find(({ tokenIds }) => tokenIds.length > to)!;
  expect(segment.mask.slice(from, to)).toEqual(Array.from({ length: to - from }, () => 0));
  await bench.stop();
});
