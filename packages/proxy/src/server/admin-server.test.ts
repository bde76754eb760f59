import { readdir } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { OpenedSession } from "@liverl/contract/proxy-admin";
import pino from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ADMIN_ROUTES, createAdminServer } from "#server/admin-server.ts";
import { closeServer, listen } from "#server/http-exchange.ts";
import type { ProxyOperations } from "#server/proxy-operations.ts";
import { ProxyBench, postChat } from "#testing/proxy-bench.ts";

let bench: ProxyBench;
beforeAll(async () => {
  bench = await ProxyBench.start({ plan: { limits: { maxSessions: 6, maxBodyMb: 0.01 } } });
});
afterAll(() => bench.stop());

const PATHS = [
  "/pools",
  "/pools/p",
  "/sessions",
  "/sessions/s",
  "/sessions/s/complete",
  "/sessions/s/files",
  "/sessions/s/outline",
  "/sample",
  "/score",
  "/metrics",
];
const METHODS = ["GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "PROPFIND"];

function ask(
  method: string,
  path: string,
  { token = bench.proxy.adminToken, body }: { token?: string; body?: unknown } = {},
): Promise<{ status: number; headers: Record<string, unknown>; json: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${bench.proxy.adminUrl}/`,
      { method, path, headers: token === "" ? {} : { authorization: `Bearer ${token}` } },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            json: text.startsWith("{") ? JSON.parse(text) : text,
          }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

it("denies every route and method without its token, and knows no other", async () => {
  for (const [, pattern] of ADMIN_ROUTES)
    expect(PATHS.some((path) => pattern.test(path))).toBe(true);
  const wrong = ["", "x", `${bench.proxy.adminToken}x`, "' OR '1'='1", "x".repeat(10_000)];
  for (const path of [...PATHS, "/", "/admin", "/nothing", "/healthz/", "//healthz", "/Healthz"])
    for (const method of METHODS)
      for (const token of method === "GET" ? wrong : [""]) {
        const { status, json } = await ask(method, path, { token });
        expect(status, `${method} ${path}`).toBe(401);
        expect(JSON.stringify(json)).not.toContain(bench.proxy.adminToken);
      }
  for (const path of ["/healthz", "/readyz"])
    expect((await ask("GET", path, { token: "" })).status).toBe(200);
  expect((await ask("POST", "/healthz", { token: "" })).status).toBe(401);
});

it("takes the methods that a path has, whatever a header says", async () => {
  for (const path of PATHS.filter((known) => known !== "/metrics"))
    for (const method of METHODS) {
      if (ADMIN_ROUTES.some(([known, pattern]) => known === method && pattern.test(path))) continue;
      expect((await ask(method, path)).status, `${method} ${path}`).toBe(405);
    }
  const { headers } = await ask("PATCH", "/sessions/s");
  expect(headers.allow).toBe("GET, DELETE");
  expect(headers["access-control-allow-origin"]).toBeUndefined();
});

it.each([
  "//sessions",
  "/sessions/",
  "/sessions/../pools",
  "/sessions/%2e%2e/pools",
  "/%73essions",
  "/SESSIONS",
  "/sessions/..",
  "/sessions/.hidden",
  "/sessions/a%2fb",
  "/sessions/a\\b",
  "/v1/../sessions",
  "/admin/sessions",
  "/metrics/",
])("reaches nothing by %s", async (path) => {
  const { port } = new URL(bench.proxy.adminUrl);
  const status = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), "127.0.0.1", () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${bench.proxy.adminToken}\r\nconnection: close\r\n\r\n`,
      ),
    );
    socket.once("data", (bytes) => resolve(bytes.toString().slice(9, 12)));
  });
  expect(status).toBe("404");
});

it("opens a session from nothing, ends it with a number, and knows it afterwards", async () => {
  const opened = OpenedSession.parse((await ask("POST", "/sessions")).json);
  expect(opened.sessionId).toMatch(/^s-[0-9a-f]{16}$/);
  expect(Date.parse(opened.expiresAt)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  bench.say("ok");
  expect((await postChat(opened, { messages: [{ role: "user", content: "Hi" }] })).status).toBe(
    200,
  );
  const path = `/sessions/${opened.sessionId}`;
  expect((await ask("GET", path)).json).toMatchObject({
    status: "open",
    mode: "train",
    calls: [{ status: "done" }],
    directory: join(bench.directory, "sessions", opened.sessionId),
  });
  const completed = await ask("POST", `${path}/complete`, { body: { reward: 0.5 } });
  expect(completed.json).toMatchObject({ calls: 1, segments: [{ reward: 0.5 }] });
  const files = await readdir(join(bench.directory, "sessions", opened.sessionId));
  expect(files.sort()).toEqual(["proxy_requests.jsonl", "proxy_trajectory.json"]);
  expect((await ask("POST", `${path}/complete`)).json).toEqual(completed.json);
  expect((await ask("GET", path)).json).toMatchObject({ status: "complete" });
  expect((await ask("DELETE", path)).status).toBe(200);
  expect((await ask("POST", "/sessions", { body: { sessionId: opened.sessionId } })).status).toBe(
    409,
  );
});

it("gives a repeated opening the same answer though its defaults follow the clock", async () => {
  const body = { sessionId: "again", taskId: "t" };
  const first = await ask("POST", "/sessions", { body });
  expect((await ask("POST", "/sessions", { body })).json).toEqual(first.json);
  expect((await ask("POST", "/sessions", { body: { sessionId: "again" } })).json).toEqual(
    first.json,
  );
  expect((await ask("POST", "/sessions", { body: { ...body, taskId: "u" } })).status).toBe(409);
  expect((await ask("DELETE", "/sessions/again")).status).toBe(200);
});

it.each<[string, unknown, string]>([
  ["a folder elsewhere", { directory: "/etc" }, "is not a folder below"],
  ["a folder above", { directory: "../x" }, "is not a folder below"],
  ["the data folder itself", { directory: "." }, "is not a folder below"],
  ["the proxy's own folder", { directory: "sessions/../proxy/journal" }, "is not a folder below"],
  ["a folder of a name too long", { directory: "x".repeat(300) }, "is not a folder below"],
  ["an end that is no time", { expiresAt: "tomorrow, perhaps" }, "is no time"],
  ["a bad id", { sessionId: "../x" }, "sessionId"],
  ["an unknown pool", { poolId: "other" }, "There is no pool other"],
  ["a sampling of another shape", { sampling: { temperature: -1, max_tokens: 1 } }, "temperature"],
  ["no JSON object", [1], "expected object"],
  ["a field that there is not", { taskid: "t" }, 'Unrecognized key: \\"taskid\\"'],
])("refuses to open a session with %s", async (_, body, why) => {
  const { status, json } = await ask("POST", "/sessions", { body });
  expect([400, 404]).toContain(status);
  expect(JSON.stringify(json)).toContain(why);
});

it("refuses an end that it does not understand, and keeps the session open", async () => {
  const { sessionId } = await bench.openSession();
  const path = `/sessions/${sessionId}`;
  const wrong: [object, RegExp][] = [
    [{ rewrd: 1 }, /^Unrecognized key: "rewrd"$/],
    [{ termination: "late" }, /^termination: Invalid option: .*"cancelled"$/],
  ];
  for (const [body, message] of wrong)
    expect(await ask("POST", `${path}/complete`, { body })).toMatchObject({
      ...{ status: 400, json: { error: { message: expect.stringMatching(message) } } },
    });
  expect((await ask("GET", path)).json).toMatchObject({ status: "open" });
  expect((await ask("DELETE", path)).status).toBe(200);
});

it("refuses an engine's URL that it could never reach", async () => {
  const pool = {
    engines: [{ url: "unix:/x" }],
    engineKeyPath: null,
    modelDir: join(bench.directory, "model"),
    modelName: "tiny",
    maxModelLen: 10,
  };
  expect((await ask("PUT", "/pools/bad", { body: pool })).status).toBe(400);
  const misspelt = { ...pool, engines: [{ url: bench.engine.url }], maxModelLength: 10 };
  expect(await ask("PUT", "/pools/bad", { body: misspelt })).toMatchObject({
    ...{ status: 400, json: { error: { message: 'Unrecognized key: "maxModelLength"' } } },
  });
});

it("asks for the pool where there are several", async () => {
  await bench.admin.putPool("second", {
    engines: [{ url: bench.engine.url }],
    engineKeyPath: null,
    modelDir: join(bench.directory, "model"),
    modelName: "tiny",
    maxModelLen: 10,
  });
  const { status, json } = await ask("POST", "/sessions");
  expect(status).toBe(400);
  expect(JSON.stringify(json)).toContain("pool, second");
  await bench.admin.deletePool("second");
});

it("holds as many sessions as it may, and bodies as large", async () => {
  const opened = [];
  for (let i = 0; i < 6; i++) opened.push(await bench.openSession());
  const over = await ask("POST", "/sessions");
  expect(over.status).toBe(429);
  expect(over.headers["retry-after"]).toBe("1");
  for (const { sessionId } of opened) await bench.admin.deleteSession(sessionId);
  const session = await bench.openSession();
  const big = { messages: [{ role: "user", content: "x".repeat(11_000) }] };
  const refused = await postChat(session, big);
  expect(refused.status).toBe(400);
  expect(refused.body.error!.message).toBe("The body is larger than 0.01 MB.");
  await bench.admin.deleteSession(session.sessionId);
  expect(await bench.admin.metrics()).toMatch(/liverl_proxy_refused_total\{reason="sessions"\} 1/);
});

it.each(["starting", "draining", "ready"] as const)("tells its health while %s", async (state) => {
  // Stands in for the parent of workers; the process test has a real one.
  const operations = {
    state,
    agentUrl: null,
    metrics: async () => "# HELP x y\nx 1\n",
    listSessions: async () => [],
  } as unknown as ProxyOperations;
  const server = createAdminServer({
    ...{ operations, log: pino({ level: "silent" }), token: "token", metricsOpen: true },
  });
  const port = await listen(server, {
    ...{ host: "127.0.0.1", port: 0 },
    keptAt: join(bench.directory, `port-${state}`),
  });
  const url = `http://127.0.0.1:${port}`;
  const ready = await fetch(`${url}/readyz`);
  expect(ready.status).toBe(state === "ready" ? 200 : 503);
  expect(ready.headers.get("retry-after")).toBe(state === "ready" ? null : "1");
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/metrics`)).status).toBe(state === "starting" ? 503 : 200);
  expect((await fetch(`${url}/sessions`)).status).toBe(401);
  const listed = await fetch(`${url}/sessions`, { headers: { authorization: "Bearer token" } });
  expect(listed.status).toBe(state === "starting" ? 503 : 200);
  await closeServer(server, 0);
});

it("names the port that it can not have", async () => {
  const { port } = new URL(bench.proxy.adminUrl);
  const server = createAdminServer({
    operations: {} as ProxyOperations,
    ...{ log: pino({ level: "silent" }), token: "t", metricsOpen: false },
  });
  const taken = { host: "127.0.0.1", port: Number(port), keptAt: join(bench.directory, "x") };
  await expect(listen(server, taken)).rejects.toThrow(`Port ${port} of 127.0.0.1 can not be`);
});
