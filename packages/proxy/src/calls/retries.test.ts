import type { OpenedSession } from "@liverl/contract/proxy-admin";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { ProxyBench, postChat } from "#testing/proxy-bench.ts";

let bench: ProxyBench;
let session: OpenedSession;
beforeAll(async () => {
  bench = await ProxyBench.start({ engines: 2 });
});
afterAll(() => bench.stop());
beforeEach(async () => {
  for (const engine of bench.engines) engine.seen.length = 0;
  session = await bench.openSession();
});

const ASK = { messages: [{ role: "user", content: "Hi" }] };
const retry = (count: number) => ({ headers: { "x-stainless-retry-count": String(count) } });
const waitFor = (check: () => unknown) => vi.waitFor(check, { timeout: 25_000, interval: 5 });
const seen = () => bench.engines.flatMap((engine) => engine.seen);

it("case 18: a retry of a call in flight gets the same answer from one turn", async () => {
  bench.scripts(() => ({ ids: bench.turnIds("slow answer"), delayMs: 30 }));
  const first = postChat(session, ASK, retry(0));
  await waitFor(() => expect(seen()).toHaveLength(1));
  const second = postChat(session, ASK, retry(1));
  expect((await second).body).toEqual((await first).body);
  expect(seen()).toHaveLength(1);
  expect((await bench.complete(session.sessionId)).trajectory.calls).toHaveLength(1);
});

it("case 18: a retry of a finished call gets the same answer, word for word", async () => {
  bench.say("one", "two");
  const first = await postChat(session, ASK, retry(0));
  const second = await postChat(session, ASK, retry(1));
  expect(second.body).toEqual(first.body);
  expect(seen()).toHaveLength(1);
});

it("case 18: the same request without a retry header is a new sample once the first was delivered", async () => {
  bench.say("one", "two");
  const first = await postChat(session, ASK);
  const second = await postChat(session, ASK);
  expect(second.body.choices[0]!.message.content).toBe("two");
  expect(first.body.id).not.toBe(second.body.id);
});

it("case 19: a client that goes away ends the engine's request once, and what was sampled is kept", async () => {
  bench.scripts(() => ({ ids: bench.turnIds("a long answer that nobody waits for"), delayMs: 30 }));
  const gone = new AbortController();
  const asked = postChat(session, ASK, { ...retry(0), signal: gone.signal });
  await waitFor(() => expect(seen()[0]?.sent.length).toBeGreaterThan(0));
  gone.abort();
  await expect(asked).rejects.toThrow();
  await waitFor(() => expect(seen()[0]!.aborted).toBe(true));
  const view = `${bench.proxy.adminUrl}/sessions/${session.sessionId}`;
  const headers = { authorization: `Bearer ${bench.proxy.adminToken}` };
  await waitFor(async () =>
    expect(await (await fetch(view, { headers })).json()).toMatchObject({ inFlight: 0 }),
  );
  expect(seen()).toHaveLength(1);
  bench.say("again");
  // The retry samples anew: an aborted turn was never an answer.
  const { body } = await postChat(session, ASK, retry(1));
  expect(body.choices[0]!.message.content).toBe("again");
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.calls.map((call) => call.status)).toEqual(["aborted", "done"]);
  const aborted = trajectory.nodes[1]!;
  expect(
    bench.turnIds("a long answer that nobody waits for").slice(0, aborted.tokenIds.length),
  ).toEqual(aborted.tokenIds);
  expect(aborted).toMatchObject({
    policyVersions: aborted.tokenIds.map(() => 1),
    versionSpan: [1, 1],
  });
  expect(trajectory.segments.map(({ path, reason }) => ({ path, reason }))).toEqual([
    { path: [0, 2], reason: null },
    { path: [0, 1], reason: "aborted" },
  ]);
});

it("case 19: a client that goes away leaves a turn that another waits for alone", async () => {
  bench.scripts(() => ({ ids: bench.turnIds("shared answer"), delayMs: 30 }));
  const gone = new AbortController();
  const first = postChat(session, ASK, { ...retry(0), signal: gone.signal });
  await waitFor(() => expect(seen()).toHaveLength(1));
  const second = postChat(session, ASK, retry(1));
  await new Promise((resolve) => setTimeout(resolve, 20));
  gone.abort();
  await expect(first).rejects.toThrow();
  expect((await second).body.choices[0]!.message.content).toBe("shared answer");
});

it("case 29: an aborted engine request goes on from its tokens, with the rest of the budget", async () => {
  const ids = bench.turnIds("abcdef");
  bench.scripts((request, index) => {
    const done = request.token_ids.length;
    if (index === 0) return { ids: ids.slice(0, 3), finish: "abort", versions: ["1", "1", "1"] };
    return { ids: ids.slice(3), versions: ids.slice(3).map(() => (done > 0 ? "2" : "1")) };
  });
  const { body } = await postChat(session, ASK);
  expect(body.choices[0]!.message.content).toBe("abcdef");
  const [one, two] = seen();
  expect(two!.request.token_ids).toEqual([...one!.request.token_ids, ...ids.slice(0, 3)]);
  expect(two!.request.sampling_params.max_tokens).toBe(one!.request.sampling_params.max_tokens - 3);
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.nodes[1]).toMatchObject({
    tokenIds: ids,
    policyVersions: [1, 1, 1, 2, 2, 2, 2],
    versionSpan: [1, 2],
  });
  expect(trajectory.calls[0]!.requestIds).toEqual([
    one!.request.request_id,
    two!.request.request_id,
  ]);
});

it.each([
  ["answers 503", { ids: [], status: 503 }],
  ["breaks off in the middle", { ids: [65, 66, 67], dieAfterChunks: 2 }],
  ["ends without a reason", { ids: [65, 66, 67], noFinish: true }],
])(
  "an engine that %s is left for another, and the turn is sampled from its start",
  async (_, fault) => {
    bench.say("good");
    const [first] = bench.engines;
    first!.script = () => fault;
    const { body } = await postChat(session, ASK);
    expect(body.choices[0]!.message.content).toBe("good");
    const { trajectory } = await bench.complete(session.sessionId);
    expect(trajectory.nodes[1]!.tokenIds).toEqual(bench.turnIds("good"));
    expect(trajectory.calls).toHaveLength(1);
    expect(trajectory.calls[0]!.requestIds).toHaveLength(1);
    const prompts = seen().map((entry) => entry.request.token_ids);
    expect(new Set(prompts.map((ids) => ids.join())).size).toBe(1);
  },
);

it("sessions stick to a replica and spread over them", async () => {
  await waitFor(async () => {
    const pools = await fetch(`${bench.proxy.adminUrl}/pools`, {
      headers: { authorization: `Bearer ${bench.proxy.adminToken}` },
    });
    expect(await pools.text()).not.toContain('"healthy":false');
  });
  bench.scripts(() => ({ ids: bench.turnIds("ok"), delayMs: 10 }));
  const sessions = await Promise.all(Array.from({ length: 6 }, () => bench.openSession()));
  await Promise.all(sessions.map((opened) => postChat(opened, ASK)));
  expect(bench.engines.map((engine) => engine.seen.length)).toEqual([3, 3]);
  const placeOf = (id: string) =>
    bench.engines.findIndex((engine) =>
      engine.seen.some((entry) => entry.request.request_id?.startsWith(`${id}-c0`)),
    );
  await Promise.all(
    sessions.map((opened) =>
      postChat(opened, {
        messages: [
          ...ASK.messages,
          { role: "assistant", content: "ok" },
          { role: "user", content: "?" },
        ],
      }),
    ),
  );
  for (const { sessionId } of sessions) {
    expect(
      bench.engines[placeOf(sessionId)]!.seen.some((entry) =>
        entry.request.request_id?.startsWith(`${sessionId}-c1`),
      ),
    ).toBe(true);
  }
});

it("parallel calls of one session are siblings", async () => {
  const own = await bench.openSession({ trains: ["main", "subagent"] });
  bench.scripts(() => ({ ids: bench.turnIds("ok"), delayMs: 5 }));
  const answers = await Promise.all(
    ["a", "b", "c"].map((content) => postChat(own, { messages: [{ role: "user", content }] })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const { trajectory } = await bench.complete(own.sessionId);
  expect(trajectory.nodes.filter((node) => node.parentId === null)).toHaveLength(3);
  expect(trajectory.segments.filter((segment) => segment.trainable)).toHaveLength(3);
});
