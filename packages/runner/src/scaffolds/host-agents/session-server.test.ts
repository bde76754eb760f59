import { createServer, type Server } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openSessionServer } from "#scaffolds/host-agents/session-server.ts";

/** Stands in for the proxy: tells what reached it, or never ends its answer. */
let proxy: Server;
let baseUrl: string;
let status = 200;
let isSilent = false;
let silent = 0;
beforeAll(async () => {
  proxy = createServer((request, response) => {
    const { url, headers } = request;
    if (isSilent) {
      silent++;
      return;
    }
    response.writeHead(status).end(JSON.stringify({ url, key: headers.authorization }));
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  if (typeof address !== "object" || !address) throw new Error("it listens");
  baseUrl = `http://127.0.0.1:${address.port}/sess/s1/v1`;
});
afterAll(() => new Promise((resolve) => proxy.close(resolve)));

const open = (turns = { left: 2 }, signal = new AbortController().signal) =>
  openSessionServer({
    baseUrl,
    giveUpMs: 100,
    signal,
    apiKey: "of the session",
    mayCall: () => turns.left > 0,
    onTurn: () => {
      turns.left--;
    },
  });
const call = (url: string, headers: [string, string][]) =>
  fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body: "{}" });

it("leads to the session with its key for who shows the agent's, and for nobody else", async () => {
  const server = await open();
  const { url, key } = server;
  for (const header of [["authorization", `Bearer ${key}`] as const, ["x-api-key", key] as const])
    expect(await (await call(url, [[...header]])).json()).toEqual({
      url: "/sess/s1/v1/chat/completions",
      key: "Bearer of the session",
    });
  expect((await call(url, [])).status).toBe(403);
  expect((await call(url, [["authorization", "Bearer of the session"]])).status).toBe(403);
  expect((await call(url, [["x-api-key", ""]])).status).toBe(403);
  // Both turns are used.
  expect((await call(url, [["x-api-key", key]])).status).toBe(403);
  server.close();
});

it("knows whose fault a failure was", async () => {
  const server = await open();
  expect(server.fault()).toBeNull();
  status = 502;
  await call(server.url, [["x-api-key", server.key]]);
  status = 200;
  expect(server.fault()).toBe("it answered 502");
  server.close();
  await expect(call(server.url, [["x-api-key", server.key]])).rejects.toThrow();
});

it("tells an agent that waits for a model that is gone from one that is late itself", async () => {
  const late = new AbortController();
  const working = await open(undefined, late.signal);
  await (await call(working.url, [["x-api-key", working.key]])).text();
  isSilent = true;
  const waiting = await open(undefined, late.signal);
  const unanswered = call(waiting.url, [["x-api-key", waiting.key]]);
  await expect.poll(() => silent).toBe(1);
  expect(waiting.stall).toBeNull();
  await sleep(200);
  late.abort();
  isSilent = false;
  expect(waiting.stall).toMatch(/^a call had no answer for/);
  expect(working.stall).toBeNull();
  for (const server of [working, waiting]) server.close();
  await expect(unanswered).rejects.toThrow();
});

it("does not count a call against the model that the agent has not said", async () => {
  const late = new AbortController();
  const server = await open(undefined, late.signal);
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nx-api-key: ${server.key}\r\ncontent-length: 100000\r\n\r\n`;
  socket.write(`${head}{`);
  isSilent = true;
  const before = silent;
  await expect.poll(() => silent).toBe(before + 1);
  await sleep(200);
  late.abort();
  isSilent = false;
  expect(server.stall).toBeNull();
  socket.destroy();
  server.close();
});
