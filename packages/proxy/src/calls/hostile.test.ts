import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ProxyBench, postChat } from "#testing/proxy-bench.ts";
import { flattenSegment } from "#trajectory/flatten.ts";

let bench: ProxyBench;
beforeAll(async () => {
  bench = await ProxyBench.start();
});
afterAll(() => bench.stop());
beforeEach(() => {
  bench.engine.seen.length = 0;
  bench.say("ok");
});
const user = (content: string) => ({ role: "user", content });

it("starts again whatever label a weight version has", async () => {
  bench.scripts(() => ({ ids: bench.turnIds("hi"), versions: ["step-1763841600123456789"] }));
  const { sessionId, ...session } = await bench.openSession();
  expect((await postChat({ sessionId, ...session }, { messages: [user("hi")] })).status).toBe(200);
  await bench.restart();
  const { trajectory } = await bench.complete(sessionId);
  expect(trajectory.calls[0]!.status).toBe("done");
  expect(trajectory.nodes[1]).toMatchObject({ policyVersions: [null, null, null] });
});

it("takes an id again after a deletion, and nothing of the deleted session comes late", async () => {
  bench.scripts(() => ({ ids: bench.turnIds("slow"), delayMs: 150 }));
  const first = await bench.openSession({ sessionId: "same" });
  const slow = postChat(first, { messages: [user("first")] });
  await sleep(60);
  await bench.admin.deleteSession("same");
  expect((await slow).status).toBe(400);
  bench.say("an answer of the second life");
  const second = await bench.openSession({ sessionId: "same" });
  expect((await postChat(second, { messages: [user("other")] })).status).toBe(200);
  await bench.restart();
  const { trajectory } = await bench.complete("same");
  expect(trajectory.calls.map((call) => call.status)).toEqual(["done"]);
});

it("gives no folder to two sessions, and none by a link out of the data", async () => {
  const directory = join(bench.directory, "trials", "shared");
  const both = await Promise.allSettled(
    ["dir1", "dir2"].map((sessionId) => bench.openSession({ sessionId, directory })),
  );
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const held = both[0]!.status === "fulfilled" ? "dir1" : "dir2";
  await bench.complete(held);
  await expect(bench.openSession({ sessionId: "dir3", directory })).rejects.toThrow(/another/);
  await mkdir(join(bench.directory, "trials"), { recursive: true });
  await symlink("/tmp", join(bench.directory, "trials", "link"));
  await expect(
    bench.openSession({ sessionId: "dir4", directory: "trials/link/deep/er" }),
  ).rejects.toThrow(/leads to \/tmp/);
});

it("trains no score that is minus infinity", async () => {
  bench.engine.scoreOf = (_, position) => (position % 3 === 0 ? -1e9 : -0.5);
  const session = await bench.openSession({ trains: ["main", "recomputed"] });
  await postChat(session, {
    messages: [user("hi"), { role: "assistant", content: "foreign turn" }, user("go")],
  });
  const { trajectory } = await bench.complete(session.sessionId);
  const { logprobs, mask } = flattenSegment(trajectory, 0);
  const trained = logprobs.filter((_, at) => mask[at] === 1);
  expect(trained.length).toBeGreaterThan(5);
  expect(Math.min(...trained.map(Number))).toBeGreaterThan(-9999);
});

it("says it of a call whose engine wants another key, at once", async () => {
  bench.scripts(() => ({ ids: [], status: 401 }));
  const session = await bench.openSession();
  const { status } = await postChat(session, { messages: [user("hi")] });
  expect(status).toBeGreaterThanOrEqual(400);
  expect(bench.engine.seen).toHaveLength(1);
});

it("flags a log-prob above 0, and takes no id that is none", async () => {
  bench.scripts((_, index) =>
    index === 0
      ? { ids: [72, -5, bench.renderer.closeId] }
      : { ids: bench.turnIds("hi"), logprobs: [5, -1, -1] },
  );
  const session = await bench.openSession();
  expect((await postChat(session, { messages: [user("hi")] })).status).toBe(200);
  // The first request's ids were none: it was sampled again.
  expect(bench.engine.seen).toHaveLength(2);
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.nodes[1]).toMatchObject({ logprobs: [-9999, -1, -1] });
  expect(trajectory.calls[0]!.error).toContain("above 0");
});

it("refuses more stop strings than it can look for, and takes as many as it can", async () => {
  const session = await bench.openSession();
  const stop = (count: number) => Array.from({ length: count }, (_, i) => `stop ${i}`);
  const refused = await postChat(session, { messages: [user("a")], stop: stop(65) });
  expect(refused.status).toBe(400);
  expect((await postChat(session, { messages: [user("a")], stop: stop(64) })).status).toBe(200);
});

it("keeps the request of a call whose prompt did not fit", async () => {
  const session = await bench.openSession();
  const { status } = await postChat(session, { messages: [user("x ".repeat(20_000))] });
  expect(status).toBe(400);
  const exchange = await bench.admin.inspectSession(session.sessionId, "calls/0");
  expect(JSON.stringify(exchange)).toContain("x x x x");
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.calls[0]).toMatchObject({
    status: "error",
    error: "context_length_exceeded",
    requestIds: [],
    sampling: { max_tokens: 0 },
  });
});

it("refuses what can not fit by far before it reads it, and serves others meanwhile", async () => {
  const session = await bench.openSession();
  const began = performance.now();
  for (const messages of [
    [user("word ".repeat(4_000_000))],
    Array.from({ length: 300_000 }, (_, i) => user(`m${i}`)),
  ]) {
    const { status, body } = await postChat(session, { messages });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain("prompt is too long");
  }
  expect(performance.now() - began).toBeLessThan(20_000);
});

it("calls a changed system prompt what it is, with and without tools", async () => {
  const tools = [{ type: "function", function: { name: "edit", parameters: { type: "object" } } }];
  for (const extra of [{}, { tools }]) {
    bench.say("An answer that is long enough to be taken for a quote of it.");
    const session = await bench.openSession();
    const ask = async (system: string, history: unknown[]) =>
      (
        await postChat(session, {
          messages: [{ role: "system", content: system }, ...history],
          ...extra,
        })
      ).body.choices[0]!.message;
    const one = [user("first"), await ask("fix", [user("first")]), user("second")];
    const two = [...one, await ask("fix", one), user("third")];
    await ask("fix!", two);
    const { trajectory } = await bench.complete(session.sessionId);
    expect(trajectory.calls.map((call) => call.fork?.reason ?? null)).toEqual([
      null,
      null,
      "system-changed",
    ]);
  }
});
