import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import pino from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AdminClient } from "#admin-client.ts";
import { startProxy } from "#start-proxy.ts";
import { EmbeddedEngine } from "#testing/embedded-engine.ts";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";

let engine: EmbeddedEngine;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let admin: AdminClient;
const { signal } = new AbortController();

beforeAll(async () => {
  engine = await EmbeddedEngine.start();
  const dataDir = await makeTemporaryDirectory("outside");
  proxy = await startProxy({ dataDir, log: pino({ level: "silent" }) });
  admin = new AdminClient({ url: proxy.adminUrl, token: proxy.adminToken });
});
afterAll(async () => {
  await admin.close();
  await proxy.stop();
  await engine.stop();
});

const PROMPT = [10, 20, 30, 40, 50, 60];
const prompt = { promptIds: PROMPT, cacheSalt: "outside" };
const sampling = { max_tokens: 24, temperature: 1, top_p: 1, seed: 5, stop_token_ids: [] };
const byAddress = () => ({ url: engine.url, keyPath: engine.keyPath });

it("samples exactly these ids, repeats itself by its seed, and scores what it sampled alike", async () => {
  const asked = { engine: byAddress(), name: "a", ...prompt, sampling };
  const first = await admin.sample(asked, signal);
  expect(first.tokenIds.length).toBeGreaterThan(0);
  expect(first.requestIds).toEqual(["a-0"]);
  expect(new Set(first.policyVersions)).toEqual(new Set([3]));
  const again = await admin.sample({ ...asked, name: "b" }, signal);
  expect(again.tokenIds).toEqual(first.tokenIds);
  const other = await admin.sample({ ...asked, sampling: { ...sampling, seed: 6 } }, signal);
  expect(other.tokenIds).not.toEqual(first.tokenIds);
  const scored = await admin.score(
    {
      ...{ engine: byAddress(), name: "a-score", temperature: 1, from: PROMPT.length },
      promptIds: [...PROMPT, ...first.tokenIds],
    },
    signal,
  );
  expect(scored.version).toBe(3);
  expect(scored.logprobs).toHaveLength(first.tokenIds.length);
  for (const [at, logprob] of first.logprobs.entries())
    expect(Math.abs(logprob - (scored.logprobs[at] ?? Number.NaN))).toBeLessThan(1e-4);
});

it("leaves no session behind", async () => {
  expect(await admin.listSessions()).toEqual([]);
});

it("says what is wrong at once", async () => {
  const ask = (change: object) =>
    admin.sample({ engine: byAddress(), name: "c", ...prompt, sampling, ...change }, signal);
  await expect(ask({ engine: { poolId: "none" } })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(ask({ engine: { url: "http://127.0.0.1:9", keyPath: null } })).rejects.toMatchObject(
    {
      code: "UNAVAILABLE",
      userMessage: expect.stringContaining("No engine at http://127.0.0.1:9 answers"),
    },
  );
  await expect(ask({ promptIds: [999_999] })).rejects.toMatchObject({
    code: "BAD_REQUEST",
    userMessage: expect.stringContaining("out of vocabulary"),
  });
  await expect(ask({ engine: { url: engine.url, keyPath: null } })).rejects.toMatchObject({
    code: "BAD_REQUEST",
    userMessage: expect.stringContaining("wants a key"),
  });
  await expect(ask({ sampling: { ...sampling, top_p: 2 } })).rejects.toMatchObject({
    code: "BAD_REQUEST",
    userMessage: expect.stringContaining("sampling.top_p"),
  });
});

it("ends the engine's request when nobody waits for it", async () => {
  const leaving = new AbortController();
  const running = async () => {
    const text = await (await fetch(`${engine.url}/metrics`)).text();
    return Number(/vllm:num_requests_running\{[^}]*\} (\d+)/.exec(text)?.[1]);
  };
  const slow = { ...sampling, max_tokens: 200, stop_token_ids: [] };
  const asked = Array.from({ length: 24 }, (_, seed) =>
    admin
      .sample(
        { engine: byAddress(), name: `d${seed}`, ...prompt, sampling: { ...slow, seed } },
        AbortSignal.any([leaving.signal]),
      )
      .then(
        () => "sampled",
        () => "ended",
      ),
  );
  await expect.poll(running, { interval: 5 }).toBeGreaterThan(0);
  leaving.abort();
  expect(await Promise.all(asked)).toContain("ended");
  await expect.poll(running).toBe(0);
});

/** A stand-in for what is no engine: it says that it is well, and answers every request for tokens like this. */
async function standIn(answer: (response: ServerResponse) => void) {
  let asked = 0;
  const hosts: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host);
    if (request.method === "GET") return response.end("{}");
    asked += 1;
    request.resume().once("end", () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ port, hosts, asked: () => asked, url: `http://127.0.0.1:${port}` },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
const GARBAGE = `data: ${JSON.stringify({ choices: [{ index: 0, token_ids: [999_999_999, -1] }] })}\n\ndata: [DONE]\n\n`;

it.each([
  [
    "redirects",
    (response: ServerResponse) => response.writeHead(307, { location: "/elsewhere" }).end(),
    /^The engine refused: it answered 307: redirects are not followed/,
  ],
  [
    "talks nonsense",
    (response: ServerResponse) =>
      response.writeHead(200, { "content-type": "text/event-stream" }).end(GARBAGE),
    /^The engine went away: it answers otherwise than its API says: /,
  ],
])("an engine that %s is given up after few requests", async (_, answer, words) => {
  await using bad = await standIn((response) => void answer(response));
  const engine = { url: bad.url, keyPath: null };
  const began = performance.now();
  await expect(
    admin.sample({ engine, name: "e", ...prompt, sampling }, signal),
  ).rejects.toMatchObject({ userMessage: expect.stringMatching(words) });
  expect(bad.asked()).toBeLessThanOrEqual(4);
  expect(performance.now() - began).toBeLessThan(10_000);
});

it("connects to the address that was checked, and asks nobody for the name", async () => {
  await using one = await standIn((response) => void response.writeHead(400).end("no"));
  const engine = { url: `http://engine.invalid:${one.port}`, keyPath: null, address: "127.0.0.1" };
  await expect(
    admin.sample({ engine, name: "f", ...prompt, sampling }, signal),
  ).rejects.toMatchObject({ code: "BAD_REQUEST", userMessage: "The engine refused: no" });
  expect(new Set(one.hosts)).toEqual(new Set([`engine.invalid:${one.port}`]));
});
