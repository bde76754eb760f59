import type { OpenedSession } from "@liverl/contract/proxy-admin";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { EngineStandIn } from "#testing/engine-stand-in.ts";
import { ProxyBench, postChat } from "#testing/proxy-bench.ts";

let bench: ProxyBench;
let session: OpenedSession;
beforeAll(async () => {
  bench = await ProxyBench.start({ engines: 2 });
});
afterAll(() => bench.stop());
beforeEach(async () => {
  for (const engine of bench.engines) {
    engine.seen.length = 0;
    engine.tellsVersion = true;
    engine.version = "1";
  }
  session = await bench.openSession();
});

const ASK = { messages: [{ role: "user", content: "Hi" }] };
const waitFor = (check: () => unknown) => vi.waitFor(check, { timeout: 25_000, interval: 5 });
const nodeOf = async () => (await bench.complete(session.sessionId)).trajectory.nodes[1];

async function replicas(): Promise<{ url: string; healthy: boolean; draining: boolean }[]> {
  const answer = await fetch(`${bench.proxy.adminUrl}/pools`, {
    headers: { authorization: `Bearer ${bench.proxy.adminToken}` },
  });
  return ((await answer.json()) as { pools: { replicas: never[] }[] }).pools[0]!.replicas;
}

it("a replica that dies in the middle is left, and serves again when it is back", async () => {
  bench.scripts(() => ({ ids: bench.turnIds("a slow answer"), delayMs: 20 }));
  const asked = postChat(session, ASK);
  await waitFor(() =>
    expect(bench.engines.flatMap(({ seen }) => seen)[0]?.sent.length).toBeGreaterThan(2),
  );
  const index = bench.engines.findIndex(({ seen }) => seen.length > 0);
  const { port, script } = bench.engines[index]!;
  await bench.engines[index]!.stop();
  expect((await asked).body.choices[0]!.message.content).toBe("a slow answer");
  expect((await nodeOf())!.tokenIds).toEqual(bench.turnIds("a slow answer"));
  bench.engines[index] = await EngineStandIn.start(script, port);
  bench.engines[index]!.tellsVersion = true;
  await waitFor(async () => expect((await replicas()).every(({ healthy }) => healthy)).toBe(true));
  const others = await Promise.all([0, 1, 2, 3].map(() => bench.openSession()));
  await Promise.all(others.map((opened) => postChat(opened, ASK)));
  expect(bench.engines[index]!.seen).toHaveLength(2);
});

it("a replica that a pool no longer names ends what it has and gets nothing new", async () => {
  bench.scripts(() => ({ ids: bench.turnIds("a slow answer"), delayMs: 20 }));
  const asked = postChat(session, ASK);
  await waitFor(() => expect(bench.engines.flatMap(({ seen }) => seen)).toHaveLength(1));
  const [leaving] = bench.engines.filter(({ seen }) => seen.length > 0);
  const [staying] = bench.engines.filter(({ seen }) => seen.length === 0);
  const pool = {
    engineKeyPath: null,
    modelDir: `${bench.directory}/model`,
    modelName: "tiny",
    maxModelLen: 4096,
  };
  await bench.admin.putPool("pool", { ...pool, engines: [{ url: staying!.url }] });
  expect((await replicas()).find(({ url }) => url === leaving!.url)).toMatchObject({
    draining: true,
  });
  const other = await bench.openSession();
  await postChat(other, ASK);
  expect(staying!.seen).toHaveLength(1);
  expect((await asked).body.choices[0]!.message.content).toBe("a slow answer");
  expect(leaving!.seen[0]).toMatchObject({ disconnected: false });
  expect((await replicas()).map(({ url }) => url)).toEqual([staying!.url]);
  await postChat(session, { messages: [{ role: "user", content: "again" }] });
  expect(leaving!.seen).toHaveLength(1);
  await bench.putPool();
});

it("case 30: without spans, the same version before and after is every token's", async () => {
  bench.scripts(() => ({ ids: bench.turnIds("ok"), noVersions: true }));
  await postChat(session, ASK);
  expect(await nodeOf()).toMatchObject({ policyVersions: [1, 1, 1], versionSpan: [1, 1] });
});

it("case 30: a version that changed meanwhile leaves null, bounded by both", async () => {
  for (const engine of bench.engines) {
    engine.version = "step-4";
  }
  bench.scripts(() => ({ ids: bench.turnIds("ok"), noVersions: true, delayMs: 300 }));
  const asked = postChat(session, ASK);
  await waitFor(() =>
    expect(bench.engines.flatMap(({ seen }) => seen)[0]?.sent.length).toBeGreaterThan(0),
  );
  for (const engine of bench.engines) engine.version = "step-6";
  await asked;
  const node = await nodeOf();
  expect(node).toMatchObject({ policyVersions: [null, null, null] });
  expect(node).toMatchObject({ versionSpan: [expect.any(Number), 6] });
  expect([1, 4]).toContain((node as { versionSpan: number[] }).versionSpan[0]);
});

it("case 31: weights of another version share no cached prefix", async () => {
  const salts = () =>
    bench.engines.flatMap(({ seen }) => seen.map(({ request }) => request.cache_salt));
  bench.say("ok");
  await new Promise((resolve) => setTimeout(resolve, 300));
  await postChat(session, ASK);
  for (const engine of bench.engines) engine.version = "2";
  await new Promise((resolve) => setTimeout(resolve, 300));
  await postChat(session, { messages: [{ role: "user", content: "again" }] });
  expect(salts().sort()).toEqual(["run.v1", "run.v2"]);
});

it("an end without a reason is taken from the ids where they show it", async () => {
  bench.scripts(() => ({ ids: bench.turnIds("done"), noFinish: true }));
  const stopped = await postChat(session, ASK);
  expect(stopped.body.choices[0]!.finish_reason).toBe("stop");
  const short = await bench.openSession({ sampling: { temperature: 1, max_tokens: 2 } });
  bench.scripts(() => ({ ids: [65, 66], noFinish: true }));
  const cut = await postChat(short, ASK);
  expect(cut.body.choices[0]!.finish_reason).toBe("length");
});

it("case 25: an engine that shortens max_tokens without a word is noticed", async () => {
  bench.scripts(() => ({ ids: [65, 66, 67], finish: "length" }));
  await postChat(session, ASK);
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.calls[0]).toMatchObject({
    stopReason: "length",
    error: expect.stringContaining("253 tokens short"),
  });
});

it("an engine that goes on long after max_tokens is left", async () => {
  bench.scripts(() => ({ ids: new Array<number>(5_000).fill(65), ignoresBudget: true }));
  const short = await bench.openSession({ sampling: { temperature: 1, max_tokens: 2 } });
  const answer = await postChat(short, ASK);
  expect(answer.body).toMatchObject({ error: { code: "engine_refused" } });
  const { trajectory } = await bench.complete(short.sessionId);
  expect(trajectory.calls[0]!.error).toContain("asked for 2 tokens and does not end");
});
