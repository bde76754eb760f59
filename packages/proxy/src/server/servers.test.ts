import { readdir, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import type { OpenedSession } from "@liverl/contract/proxy-admin";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ProxyBench, postChat } from "#testing/proxy-bench.ts";

let bench: ProxyBench;
let session: OpenedSession;
beforeAll(async () => {
  bench = await ProxyBench.start();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  bench.say("ok");
  session = await bench.openSession();
});

const ASK = { messages: [{ role: "user", content: "Hi" }] };

it("knows the capability as Bearer, as x-api-key and in the path, and nothing else", async () => {
  const { baseUrl, apiKey, sessionId } = session;
  const other = await bench.openSession();
  const ask = async (url: string, headers: Record<string, string>) =>
    (await fetch(`${url}/models`, { headers })).status;
  expect(await ask(baseUrl, { authorization: `Bearer ${apiKey}` })).toBe(200);
  expect(await ask(baseUrl, { "x-api-key": apiKey })).toBe(200);
  expect(await ask(`${bench.proxy.agentUrl}/sess/${sessionId}/${apiKey}/v1`, {})).toBe(200);
  expect(await ask(baseUrl, {})).toBe(401);
  expect(await ask(baseUrl, { authorization: `Bearer ${other.apiKey}` })).toBe(401);
  expect(await ask(baseUrl, { authorization: `Bearer ${bench.proxy.adminToken}` })).toBe(401);
  expect(
    await ask(`${bench.proxy.agentUrl}/sess/${sessionId}/${other.apiKey}/v1`, {
      authorization: `Bearer ${apiKey}`,
    }),
  ).toBe(401);
});

it("gives a repeated opening the same key, and refuses other settings", async () => {
  const again = await bench.openSession({ sessionId: session.sessionId });
  expect(again).toEqual(session);
  await expect(
    bench.openSession({ sessionId: session.sessionId, maxCalls: 1 }),
  ).rejects.toMatchObject({ code: "CONFLICT" });
});

it("is gone after completion, deletion and expiry, and cut at its budget", async () => {
  await bench.complete(session.sessionId);
  expect((await postChat(session, ASK)).status).toBe(400);
  await expect(bench.openSession({ sessionId: session.sessionId })).rejects.toMatchObject({
    code: "CONFLICT",
  });
  const deleted = await bench.openSession();
  await bench.admin.deleteSession(deleted.sessionId);
  expect((await postChat(deleted, ASK)).status).toBe(404);
  const expired = await bench.openSession({ expiresAt: "2000-01-01T00:00:00.000Z" });
  expect((await postChat(expired, ASK)).status).toBe(400);
  const small = await bench.openSession({ maxCalls: 1 });
  expect((await postChat(small, ASK)).status).toBe(200);
  expect((await postChat(small, { messages: [{ role: "user", content: "more" }] })).status).toBe(
    400,
  );
});

it.each([
  "/v1/../pause",
  "/v1/%2e%2e/collective_rpc",
  "/v1/completions",
  "/v1/chat/completions/",
  "/V1/chat/completions",
  "/v1//chat/completions",
  "/sessions",
  "/metrics",
])("has no session route %s", async (path) => {
  const { port } = new URL(bench.proxy.agentUrl);
  const status = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), "127.0.0.1", () =>
      socket.write(
        `GET /sess/${session.sessionId}${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${session.apiKey}\r\nconnection: close\r\n\r\n`,
      ),
    );
    socket.once("data", (bytes) => resolve(bytes.toString().slice(9, 12)));
  });
  expect(status).toBe("404");
});

it("keeps the admin port for the token's holder", async () => {
  const { adminUrl, adminToken } = bench.proxy;
  for (const path of ["/metrics", "/pools", "/sessions", "/nothing"]) {
    expect((await fetch(adminUrl + path)).status).toBe(401);
    expect(
      (await fetch(adminUrl + path, { headers: { authorization: `Bearer ${session.apiKey}` } }))
        .status,
    ).toBe(401);
  }
  await postChat(session, ASK);
  const metrics = await fetch(`${adminUrl}/metrics`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  expect(await metrics.text()).toMatch(/liverl_proxy_calls_total\{status="done"\} \d/);
  expect(await (await fetch(`${adminUrl}/healthz`)).json()).toMatchObject({
    agentUrl: bench.proxy.agentUrl,
  });
});

it("refuses bodies over 32 MB, and broken JSON, in OpenAI's shape", async () => {
  const huge = await postChat(session, {
    messages: [{ role: "user", content: "x".repeat(33 * 1024 * 1024) }],
  }).catch(() => ({ status: 400 }));
  expect(huge.status).toBe(400);
  const post = async (body: string) => {
    const response = await fetch(`${session.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${session.apiKey}` },
      body,
    });
    return { status: response.status, ...((await response.json()) as object) };
  };
  expect(await post("{")).toMatchObject({ status: 400, error: { type: "invalid_request_error" } });
  expect(await post('{"messages": "Hi"}')).toMatchObject({
    status: 400,
    error: { param: "messages" },
  });
  expect(await post('{"messages": [{"role": "user", "content": 5}]}')).toMatchObject({
    status: 400,
    error: { param: "messages.0.content" },
  });
});

it("puts a note in the place of media", async () => {
  const image = { type: "image_url", image_url: { url: "http://x" } };
  const content = [{ type: "text", text: "Look" }, image];
  expect((await postChat(session, { messages: [{ role: "user", content }] })).status).toBe(200);
  const prompt = bench.renderer.decode(bench.engine.seen.at(-1)!.request.token_ids);
  expect(prompt).toContain("Look\n[image omitted]<|im_end|>");
});

it("keeps no session key on disk", async () => {
  await postChat(session, ASK);
  const directory = join(bench.directory, "proxy");
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    expect(await readFile(join(entry.parentPath, entry.name), "utf8")).not.toContain(
      session.apiKey,
    );
  }
});

it("refuses a pool whose model it can not serve, with the reason", async () => {
  const pool = {
    engines: [{ url: bench.engine.url }],
    engineKeyPath: null,
    modelDir: "/nowhere",
    modelName: "x",
    maxModelLen: 10,
  };
  await expect(bench.admin.putPool("bad", pool)).rejects.toThrow("tokenizer.json");
  await expect(bench.openSession({ poolId: "bad" })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

it.each([
  ["tools", (deep: string) => `"tools": [{"type": "function", "function": {"name": ${deep}}}]`],
  ["a field that it does not know", (deep: string) => `"metadata": ${deep}`],
])("refuses %s nested too deep", async (_, fieldOf) => {
  for (const depth of [300, 100_000]) {
    const deep = "[".repeat(depth) + "]".repeat(depth);
    const response = await fetch(`${session.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${session.apiKey}` },
      body: `{"messages": ${JSON.stringify(ASK.messages)}, ${fieldOf(deep)}}`,
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("nested");
  }
});

it("takes a pool that it knows without its model, and drops the model with its last pool", async () => {
  const tokenizer = join(bench.directory, "model", "tokenizer.json");
  const sound = await readFile(tokenizer);
  await bench.restart();
  await writeFile(tokenizer, "{");
  await bench.putPool();
  await expect(bench.openSession()).rejects.toThrow();
  await writeFile(tokenizer, sound);
  await bench.openSession();
  await writeFile(tokenizer, "{");
  await bench.admin.deletePool("pool");
  await expect(bench.putPool()).rejects.toThrow();
  await writeFile(tokenizer, sound);
  await bench.putPool();
  await bench.openSession();
});
