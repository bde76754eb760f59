import type { OpenedSession } from "@liverl/contract/proxy-admin";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ProxyBench, postChat } from "#testing/proxy-bench.ts";
import { flattenSegment } from "#trajectory/flatten.ts";

// No mixture of experts runs here: a stand-in tells routes in vLLM's shape, a row for each token by its position.
let bench: ProxyBench;
let session: OpenedSession;
beforeAll(async () => {
  bench = await ProxyBench.start();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  bench.engine.seen.length = 0;
  session = await bench.openSession({ routedExperts: true });
});

const ASK = { messages: [{ role: "user", content: "Hi" }] };
const NEXT = {
  messages: [...ASK.messages, { role: "assistant", content: "ok" }, { role: "user", content: "?" }],
};
const starts = () =>
  bench.engine.seen.map(({ request }) => request.sampling_params.routed_experts_prompt_start);

/** The position that each row stands for, as the stand-in wrote it. */
function positionsOf(trajectory: ProxyTrajectory, segmentId = 0): number[] | null | undefined {
  const { routedExperts } = flattenSegment(trajectory, segmentId);
  if (!routedExperts) return routedExperts;
  expect(routedExperts).toMatchObject({ shape: [2, 2], dtype: "<i4", startToken: 0 });
  const data = Buffer.from(routedExperts.data, "base64");
  expect(data.length).toBe(routedExperts.rows * 16);
  return Array.from({ length: routedExperts.rows }, (_, row) => data.readInt32LE(row * 16));
}
const allBut = (trajectory: ProxyTrajectory) =>
  Array.from({ length: flattenSegment(trajectory, 0).tokenIds.length - 1 }, (_, i) => i);

it("case 32: N-1 rows for N tokens, each turn new rows alone, across aborts too", async () => {
  const ids = bench.turnIds("ok");
  bench.scripts((_, index) =>
    index === 0
      ? { ids: ids.slice(0, 1), finish: "abort", routes: true }
      : { ids: index === 1 ? ids.slice(1) : bench.turnIds("yes"), routes: true },
  );
  await postChat(session, ASK);
  await postChat(session, NEXT);
  const { trajectory } = await bench.complete(session.sessionId);
  const [given, first] = trajectory.nodes;
  const promptLength = given!.tokenIds.length;
  // The resumed request goes on from the token before it, the next turn from the last one sampled.
  expect(starts()).toEqual([0, promptLength, promptLength + ids.length - 1]);
  expect(first).toMatchObject({
    routedExperts: { startToken: -promptLength, rows: promptLength + ids.length - 1 },
  });
  expect(positionsOf(trajectory)).toEqual(allBut(trajectory));
});

it("case 32: rows of tokens that a stop string cut off are left", async () => {
  bench.scripts(() => ({ ids: bench.turnIds("one STOP two three"), routes: true, idsPerChunk: 3 }));
  await postChat(session, { ...ASK, stop: ["STOP"] });
  const { trajectory } = await bench.complete(session.sessionId);
  expect(positionsOf(trajectory)).toEqual(allBut(trajectory));
});

it("case 32: an engine that tells none leaves null, and the next turn asks for all rows", async () => {
  bench.scripts((_, index) => ({ ids: bench.turnIds("ok"), routes: index > 0 }));
  await postChat(session, ASK);
  await postChat(session, NEXT);
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.nodes[1]).toMatchObject({ routedExperts: null });
  expect(starts()).toEqual([0, 0]);
  expect(positionsOf(trajectory)).toEqual(allBut(trajectory));
});

it("coverage is the share of trained tokens that are routed throughout", async () => {
  bench.scripts((_, index) => ({
    ids: bench.turnIds("ok"),
    routes: index > 0,
  }));
  await postChat(session, ASK);
  const edited = { role: "assistant", content: "edited" };
  await postChat(session, { messages: [...ASK.messages, edited, ...ASK.messages] });
  const { completed } = await bench.complete(session.sessionId);
  expect(completed.segments.map(({ routedExperts }) => routedExperts === null)).toEqual([
    true,
    false,
  ]);
  expect(completed.routingCoverage).toBe(0.5);
});

it("asks for none and keeps none where the session does not want it", async () => {
  const plain = await bench.openSession();
  bench.scripts(() => ({ ids: bench.turnIds("ok"), routes: true }));
  await postChat(plain, ASK);
  const { trajectory } = await bench.complete(plain.sessionId);
  expect(starts()).toEqual([undefined]);
  expect(trajectory.nodes[1]).not.toHaveProperty("routedExperts");
  expect(positionsOf(trajectory)).toBeUndefined();
});
