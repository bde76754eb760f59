import { apiPath } from "@liverl/contract/api";
import { CreatedToken, type TokenScope } from "@liverl/contract/api-token";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { listOperations } from "#api/list-operations.ts";
import { OPERATOR_TOKEN, startTestApp, type TestApp } from "#testing/start-test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const ask = (token: string, path: string, body?: unknown, method = body ? "POST" : "GET") =>
  fetch(`${app.base}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
const make = async (name: string, scope: TokenScope, days?: number) => {
  const answer = await ask(OPERATOR_TOKEN, apiPath("token.create"), { name, scope, days });
  return CreatedToken.parse(await answer.json());
};
const statusOf = async (answer: Promise<Response>) => (await answer).status;

test("only the hash of a token is kept, and it is told once", async () => {
  const { token, ...row } = await make("told-once", "read", 2);
  expect(token).toMatch(/^liverl_[\w-]{43}$/);
  expect(Date.parse(row.expiresAt ?? "")).toBeGreaterThan(Date.now() + 47 * 3600_000);
  const { rows } = await app.control.ctx.pool.query("SELECT * FROM api_token");
  expect(JSON.stringify(rows)).not.toContain(token.slice(7));
  const list = await (await ask(OPERATOR_TOKEN, apiPath("token.list"))).text();
  expect(list).toContain("told-once");
  expect(list).not.toContain(token.slice(7));
  expect(
    await statusOf(
      ask(OPERATOR_TOKEN, apiPath("token.create"), { name: "told-once", scope: "read" }),
    ),
  ).toBe(409);
});

test("each scope opens what it names and nothing above it", async () => {
  const tokens = {
    read: (await make("scope-read", "read")).token,
    operate: (await make("scope-operate", "operate")).token,
    admin: (await make("scope-admin", "admin")).token,
  };
  const acts = listOperations().filter(({ kind }) => kind === "mutation");
  expect(acts.length).toBeGreaterThan(8);
  for (const { name, path } of acts) {
    // What ends sessions of browsers is tried on its own.
    if (name.startsWith("browser.")) continue;
    const isAdmin = name.startsWith("token.");
    // An empty body: what is let in is told its faults, or that there is no such run.
    expect(await statusOf(ask(tokens.read, path, {})), name).toBe(403);
    expect([400, 404]).toContain(await statusOf(ask(tokens.admin, path, {})));
    const operate = await statusOf(ask(tokens.operate, path, {}));
    if (isAdmin) expect(operate, name).toBe(403);
    else expect([400, 404], name).toContain(operate);
    // The same by tRPC's own door, where an act may be posted in a batch.
    expect(await statusOf(ask(tokens.read, `/trpc/${name}`, {})), name).toBe(403);
  }
  for (const token of Object.values(tokens)) {
    expect(await statusOf(ask(token, apiPath("run.list")))).toBe(200);
    expect(await statusOf(ask(token, "/trpc/system.get"))).toBe(200);
  }
  expect(await statusOf(ask(tokens.operate, apiPath("token.list")))).toBe(403);
  for (const [path, scopes] of [
    ["/api/v1/sessions", { read: 403, operate: 503, admin: 503 }],
    ["/api/v1/login-links", { read: 403, operate: 403, admin: 200 }],
    ["/api/v1/metrics", { read: 403, operate: 400, admin: 400 }],
    ["/graphql", { read: 403, operate: 400, admin: 400 }],
  ] as const)
    for (const scope of ["read", "operate", "admin"] as const)
      expect(await statusOf(ask(tokens[scope], path, {})), `${scope} ${path}`).toBe(scopes[scope]);
});

test("a refusal says which scope is missing", async () => {
  const { token } = await make("told-why", "read");
  const answer = await ask(token, apiPath("run.checkpoint"), { id: "x" });
  expect(await answer.json()).toEqual({
    error: {
      code: "FORBIDDEN",
      message:
        "This token may read, and this needs operate: make one with `liverl token create NAME --scope operate`.",
    },
  });
});

test("a token that was revoked, has ended or never was opens nothing", async () => {
  const { token } = await make("revoked", "admin");
  expect(await statusOf(ask(token, apiPath("run.list")))).toBe(200);
  expect(await statusOf(ask(token, apiPath("token.revoke"), { name: "revoked" }))).toBe(200);
  expect(await statusOf(ask(token, apiPath("run.list")))).toBe(401);
  expect(await statusOf(ask(OPERATOR_TOKEN, apiPath("token.revoke"), { name: "revoked" }))).toBe(
    404,
  );
  const ended = await make("ended", "admin", 1);
  await app.control.ctx.pool.query(
    "UPDATE api_token SET expires_at = now() - interval '1 second' WHERE name = 'ended'",
  );
  expect(await statusOf(ask(ended.token, apiPath("run.list")))).toBe(401);
  expect(await statusOf(ask(`liverl_${"x".repeat(43)}`, apiPath("run.list")))).toBe(401);
});

test("what a token does stands under its name, and when it was used is known", async () => {
  const { token } = await make("ci", "operate");
  const path = `${app.control.ctx.config.dataDir}/metrics.jsonl`;
  await (await import("node:fs/promises")).writeFile(path, '{"step": 1, "data": {"a": 1}}\n');
  const made = await ask(token, apiPath("run.attach"), {
    project: "tests",
    name: "followed",
    path,
  });
  expect(made.status).toBe(200);
  const { id } = (await made.json()) as { id: string };
  const events = (await (await ask(token, `${apiPath("run.events")}?id=${id}`)).json()) as {
    events: { actor: string }[];
  };
  expect(events.events[0]?.actor).toBe("token:ci");
  const { tokens } = (await (await ask(OPERATOR_TOKEN, apiPath("token.list"))).json()) as {
    tokens: { name: string; lastUsedAt: string | null }[];
  };
  expect(tokens.find(({ name }) => name === "ci")?.lastUsedAt).not.toBeNull();
});

test("a socket opens to every scope, a shell to none that may only read", async () => {
  const read = (await make("socket-read", "read")).token;
  const operate = (await make("socket-operate", "operate")).token;
  const dial = (token: string, path: string) =>
    new Promise<"open" | number>((resolve) => {
      const socket = new WebSocket(`${app.base.replace("http", "ws")}${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      socket.on("open", () => {
        socket.close();
        resolve("open");
      });
      socket.on("unexpected-response", (_, response) => resolve(response.statusCode ?? 0));
      socket.on("error", () => undefined);
    });
  expect(await dial(read, "/trpc")).toBe("open");
  expect(await dial(read, "/api/v1/rollouts/none/shell")).toBe(403);
  expect(await dial(operate, "/api/v1/rollouts/none/shell")).toBe(404);
});
