import { request } from "node:http";
import type { OpenedSession } from "@liverl/contract/proxy-admin";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { ProxyBench, postChat } from "#testing/proxy-bench.ts";

let bench: ProxyBench;
let session: OpenedSession;
beforeAll(async () => {
  bench = await ProxyBench.start();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  bench.engine.seen.length = 0;
  session = await bench.openSession();
});

const user = { role: "user", content: "Hi" };
const DIALECTS = [
  ["chat/completions", { messages: [user] }],
  ["messages", { messages: [user], max_tokens: 256 }],
  ["responses", { input: [user] }],
] as const;
const LONG = "a word ".repeat(30);
type Leave = "close" | "reset";

/** Sends a body and leaves once so many bytes of the answer have come. */
async function leaveAfter(
  bytes: number,
  path: string,
  body: object,
  headers: Record<string, string>,
  how: Leave,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const sent = request(
      `${session.baseUrl}/${path}`,
      { method: "POST", headers: { authorization: `Bearer ${session.apiKey}`, ...headers } },
      (response) => {
        let came = 0;
        response.on("data", (chunk: Buffer) => {
          came += chunk.length;
          if (came < bytes) return;
          if (how === "close") response.socket.destroy();
          else response.socket.resetAndDestroy();
        });
        response.on("error", () => resolve());
        response.on("close", resolve);
      },
    );
    sent.on("error", () => resolve());
    sent.end(JSON.stringify({ model: "tiny", ...body }));
  });
  await new Promise((resolve) => setTimeout(resolve, 60));
}

async function send(path: string, body: object, headers: Record<string, string>): Promise<string> {
  const response = await fetch(`${session.baseUrl}/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${session.apiKey}`, ...headers },
    body: JSON.stringify({ model: "tiny", ...body }),
  });
  return response.text();
}

const HEADERS: Record<string, string>[] = [
  {},
  { "x-stainless-retry-count": "0" },
  { "x-stainless-retry-count": "1" },
];
const ROWS = DIALECTS.flatMap(([path, body]) =>
  [true, false].flatMap((stream) =>
    HEADERS.flatMap((headers) =>
      (["close", "reset"] as const).map(
        (how) => [path, { ...body, stream }, headers, how] as const,
      ),
    ),
  ),
);

it.each(ROWS)(
  "%s: an answer that was left does not train beside its repeat: %j %j %s",
  async (path, body, headers, how) => {
    bench.say(LONG, `${LONG}again`);
    await leaveAfter(body.stream ? 300 : 10, path, body, headers, how);
    const again = await send(path, body, headers);
    const { trajectory } = await bench.complete(session.sessionId);
    const trained = trajectory.segments.flatMap(({ trainedNodes }) => trainedNodes);
    expect(trained).toHaveLength(1);
    if (how === "reset") {
      // Certainly unread: the answer is given again, word for word.
      expect(bench.engine.seen).toHaveLength(1);
      expect(again).not.toContain("again");
      return;
    }
    if (bench.engine.seen.length === 1) return;
    expect(again).toContain("again");
    expect(trajectory.calls[1]).toMatchObject({ repeats: 0, fork: { reason: "retry-replay" } });
    expect(trajectory.segments.map(({ reason }) => reason)).toEqual([null, "not-received"]);
  },
);

it("an answer that was left before it was whole is sampled once more, and the cut one does not train", async () => {
  bench.scripts(() => ({ ids: bench.turnIds(LONG), delayMs: 5 }));
  const live = await bench.openSession({ stream: "live" });
  session = live;
  const body = { messages: [user], stream: true };
  await leaveAfter(300, "chat/completions", body, { "x-stainless-retry-count": "0" }, "close");
  await vi.waitFor(async () => {
    const { calls } = (await bench.admin.inspectSession(live.sessionId, "outline")) as {
      calls: { status: string }[];
    };
    expect(calls.map(({ status }) => status)).toEqual(["aborted"]);
  });
  bench.say("again");
  await send("chat/completions", body, { "x-stainless-retry-count": "0" });
  const { trajectory } = await bench.complete(live.sessionId);
  expect(trajectory.segments.map(({ reason }) => reason)).toEqual([null, "aborted"]);
});

it("an answer that was lost in a crash is given again, whatever the client says of retries", async () => {
  bench.say("one", "two");
  const headers = { "x-stainless-retry-count": "0" };
  const first = await postChat(session, { messages: [user] }, { headers });
  await bench.restart();
  const second = await postChat(session, { messages: [user] }, { headers });
  expect(second.body).toEqual(first.body);
  expect((await postChat(session, { messages: [user] }, { headers })).body).not.toEqual(first.body);
});

it.each([
  ["without a header", {}],
  ["with a retry count of 0", { "x-stainless-retry-count": "0" }],
])(
  "clients that read an answer whole sample again %s, and all samples train",
  async (_, headers) => {
    bench.say("one", "two", "three", "four");
    for (let i = 0; i < 3; i++) await postChat(session, { messages: [user] }, { headers });
    // A client that asks for its connection to be closed has read the answer, too.
    await send("chat/completions", { messages: [user] }, { ...headers, connection: "close" });
    const { trajectory } = await bench.complete(session.sessionId);
    expect(trajectory.calls.map(({ fork }) => fork?.reason ?? null)).toEqual([
      null,
      ...Array(3).fill("resample"),
    ]);
    expect(trajectory.segments.map(({ trainable }) => trainable)).toEqual(Array(4).fill(true));
  },
);

it("an answer that a call goes on from was read, also where its connection was closed", async () => {
  bench.say(LONG, "next", "other");
  const body = { messages: [user], stream: true };
  await leaveAfter(300, "chat/completions", body, {}, "close");
  await postChat(session, { messages: [user, { role: "assistant", content: LONG }, user] });
  await send("chat/completions", body, {});
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.calls[2]!.fork?.reason).toBe("resample");
  expect(trajectory.segments.map(({ trainable }) => trainable)).toEqual([true, true]);
});
