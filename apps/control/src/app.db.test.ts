import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { z } from "zod";
import { type App, buildApp } from "#app.ts";
import { Auth } from "#auth/auth.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { startRunnerStandIn } from "#testing/runner-stand-in.ts";
import { INGEST_TOKEN, OPERATOR_TOKEN as TOKEN } from "#testing/start-test-app.ts";

describe("the HTTP face", () => {
  let control: TestControl;
  let app: App;
  let auth: Auth;
  let base: string;
  beforeAll(async () => {
    control = await buildTestContext();
    auth = new Auth(control.ctx.pool, { operator: TOKEN, ingest: INGEST_TOKEN });
    app = buildApp(control.ctx, auth, null);
    const { port } = await app.listen("127.0.0.1", 0);
    base = `http://127.0.0.1:${port}`;
  });
  afterAll(async () => {
    await app.close();
    await control.close();
  });

  const bearer = { authorization: `Bearer ${TOKEN}` };
  const signIn = async () => {
    const response = await fetch(`${base}/start?code=${await auth.createLoginCode()}`);
    const cookie = response.headers.get("set-cookie") ?? "";
    const [, pageKey = ""] = /"liverl-page-key", "([\w-]{43})"/.exec(await response.text()) ?? [];
    return { pair: cookie.split(";", 1)[0] ?? "", pageKey };
  };

  test("an address that is too long to be read is refused as everything else is", async () => {
    const long = await fetch(`${base}/api/v1/run/list?f=${"x".repeat(100_000)}`, {
      headers: bearer,
    });
    expect(long.status).toBe(431);
    expect(await long.json()).toMatchObject({
      error: { code: "TOO_LARGE", message: expect.stringContaining("ask for less") },
    });
  });

  test.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])(
    "%s without a token is refused everywhere",
    async (method) => {
      const paths = [
        "/",
        "/trpc/run.list",
        "/trpc/run.stop",
        "/trpc",
        "/api/v1/login-links",
        "/api/v1/sessions",
        "/api/v1/metrics",
        "/api/2.0/mlflow/runs/create",
        "/api/2.0/mlflow/nothing",
        "/api/2.0/mlflow-artifacts/artifacts/0/x/artifacts/y",
        "/graphql",
        "/files/e/p/r/file_stream",
        "/api/v1/sessions/x",
        "/api/v1/sessions/x/complete",
        "/p/x/runs",
        "//healthz",
        "/healthz/..",
        "/%68ealthz",
        "/_next/static/../../x",
      ];
      for (const path of paths) {
        const response = await fetch(`${base}${path}`, { method, redirect: "manual" });
        // The client itself resolves `/healthz/..` and `/_next/static/../../x` before it sends them.
        expect(response.status, `${method} ${path}`).toBe(401);
      }
    },
  );

  test.each([
    "Bearer",
    "Bearer ",
    `Bearer ${"u".repeat(43)}`,
    `Basic ${TOKEN}`,
    "Bearer ' OR '1'='1",
    `Bearer ${"x".repeat(7_000)}`,
  ])("the header %s does not let in", async (authorization) => {
    expect((await fetch(`${base}/trpc/system.get`, { headers: { authorization } })).status).toBe(
      401,
    );
  });

  test("the operator's token reads and acts", async () => {
    const read = await fetch(`${base}/trpc/system.get`, { headers: bearer });
    expect(await read.json()).toMatchObject({
      result: {
        data: {
          ...{ database: "up", dataPlane: { runner: "down" } },
          dataDir: control.ctx.config.dataDir,
        },
      },
    });
    const link = await fetch(`${base}/api/v1/login-links`, { method: "POST", headers: bearer });
    expect(await link.json()).toEqual({ url: expect.stringMatching(`^${base}/start\\?code=`) });
  });

  const basic = (user: string, password: string) => ({
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
  });

  test("the ingest token opens the routes that log, as a Bearer token or as a password, and no others", async () => {
    const asIngest = [
      { authorization: `Bearer ${INGEST_TOKEN}` },
      basic("api", INGEST_TOKEN),
      basic("anybody", INGEST_TOKEN),
      // A password never opens more than that, whose token it may be.
      basic("api", TOKEN),
    ];
    for (const headers of asIngest) {
      const logs = async (path: string, method = "GET") =>
        (await fetch(`${base}${path}`, { method, headers, redirect: "manual" })).status;
      expect(await logs("/api/2.0/mlflow/runs/get?run_id=none")).toBe(404);
      expect(await logs("/api/2.0/mlflow/nothing/here", "POST")).toBe(404);
      expect(await logs("/api/v1/metrics", "POST")).toBe(400);
      for (const path of [
        ...["/", "/trpc/run.list", "/api/v1/sessions", "/api/v1/login-links", "/p/x/runs"],
        ...[
          "/api/2.0/mlflow",
          "/api/2.0/mlflowx",
          "/api/v1/metrics/..",
          "/api/2.0/mlflow/../../../trpc",
        ],
      ])
        for (const method of ["GET", "POST"])
          expect(await logs(path, method), `${method} ${path}`).toBe(403);
    }
    for (const headers of [basic("api", "x".repeat(40)), basic(INGEST_TOKEN, ""), basic("", "")])
      expect((await fetch(`${base}/api/2.0/mlflow/runs/get`, { headers })).status).toBe(401);
    expect(await dial(basic("api", TOKEN))).toBe(403);
    expect(await dial({ authorization: `Bearer ${INGEST_TOKEN}` })).toBe(403);
    const site = { ...basic("api", INGEST_TOKEN), origin: "http://evil.test" };
    const other = await fetch(`${base}/api/v1/metrics`, { method: "POST", headers: site });
    expect(other.status).toBe(403);
  });

  test("a link signs one browser in, once", async () => {
    const code = await auth.createLoginCode();
    const first = await fetch(`${base}/start?code=${code}`);
    expect(first.headers.get("set-cookie")).toMatch(
      /^liverl=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    );
    expect((await fetch(`${base}/start?code=${code}`)).status).toBe(401);
    expect((await fetch(`${base}/start?code=`)).status).toBe(401);
    expect((await fetch(`${base}/start`, { method: "HEAD" })).headers.get("set-cookie")).toBeNull();
  });

  test("a cookie reads and acts only with the key of our own pages", async () => {
    const { pair, pageKey } = await signIn();
    const other = await signIn();
    const read = async (headers: Record<string, string>) =>
      (await fetch(`${base}/trpc/run.list?input=%7B%7D`, { headers: { cookie: pair, ...headers } }))
        .status;
    expect(await read({ "x-liverl-page": pageKey })).toBe(200);
    expect(await read({})).toBe(401);
    expect(await read({ "x-liverl-page": "" })).toBe(401);
    expect(await read({ "x-liverl-page": other.pageKey })).toBe(401);
    for (const site of ["cross-site", "same-site"])
      expect(await read({ "x-liverl-page": pageKey, "sec-fetch-site": site })).toBe(403);
    const act = (headers: Record<string, string>) =>
      fetch(`${base}/api/v1/login-links`, {
        method: "POST",
        headers: { cookie: pair, "x-liverl-page": pageKey, ...headers },
      });
    expect((await act({})).status).toBe(403);
    expect((await act({ origin: "http://evil.test" })).status).toBe(403);
    expect((await act({ origin: "null" })).status).toBe(403);
    expect((await act({ origin: base.replace("http:", "https:") })).status).toBe(403);
    expect((await act({ origin: base })).status).toBe(200);
  });

  test("other host names and other sites are turned away, token or not", async () => {
    const response = await app.server.inject({
      url: "/trpc/system.get",
      headers: { ...bearer, host: "evil.test" },
    });
    expect(response.statusCode).toBe(421);
    const site = await fetch(`${base}/trpc/system.get`, {
      headers: { ...bearer, origin: "http://evil.test" },
    });
    expect(site.status).toBe(403);
  });

  test("pages may run no script of strangers", async () => {
    const { headers } = await fetch(`${base}/healthz`);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/script-src 'self' 'nonce-[^']+';/);
    expect(policy).not.toMatch(/script-src[^;]*unsafe-inline/);
  });

  test("a bad input is answered with 400 and its fault, an unknown run with 404", async () => {
    const bad = await fetch(`${base}/trpc/run.get?input=${encodeURIComponent('{"id":3}')}`, {
      headers: bearer,
    });
    expect(bad.status).toBe(400);
    const refused = z.object({ error: z.object({ message: z.string() }) }).parse(await bad.json());
    expect(refused.error.message).toMatch(/^id: Invalid input: expected string[^\n]*$/);
    const missing = await fetch(
      `${base}/trpc/run.get?input=${encodeURIComponent('{"id":"none"}')}`,
      { headers: bearer },
    );
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ error: { message: "There is no run none." } });
  });

  const errorOf = async (response: Response) => {
    const body = z
      .object({ error: z.object({ message: z.string() }) })
      .parse(await response.json());
    return `${response.status} ${body.error.message}`;
  };

  test("a program without a token is told which one to send, and how", async () => {
    for (const method of ["GET", "POST"])
      expect(await errorOf(await fetch(`${base}/api/v1/sessions`, { method }))).toContain(
        "401 Send the operator's token: `Authorization: Bearer $(cat <data dir>/operator.token)`.",
      );
    expect(await errorOf(await fetch(`${base}/trpc/run.list`))).toContain("Sign in with the link");
  });

  test("the API of sessions says on one line what is wrong with a request", async () => {
    const post = async (path: string, body: string, type = "application/json") =>
      errorOf(
        await fetch(`${base}/api/v1/sessions${path}`, {
          ...{ method: "POST", headers: { ...bearer, "content-type": type }, body },
        }),
      );
    expect(await post("/s/complete", '{"rewrd":1}')).toBe('400 Unrecognized key: "rewrd"');
    expect(await post("/s/complete", '{"termination":"late"}')).toMatch(
      /^400 termination: Invalid option: expected one of "agent-finished"[^\n✖]*$/,
    );
    expect(await post("", '{"engine":"vllm"}')).toBe('400 Unrecognized key: "engine"');
    expect(await post("", "{}", "application/x-www-form-urlencoded")).toBe(
      "415 Send the body as JSON, with the header `content-type: application/json`.",
    );
    expect(await post("/..%2fx/complete", "{}")).toMatch(/^400 id: Invalid string/);
    const query = await fetch(`${base}/api/v1/sessions?projct=x`, { headers: bearer });
    expect(await errorOf(query)).toBe('400 Unrecognized key: "projct"');
  });

  test("programs list sessions, read one, and get the runner's answer when they end it", async () => {
    const row = {
      ...{ sessionId: "outside-1", runId: "gone", taskId: null, openedAt: null },
      ...{ completedAt: null, state: "complete", calls: 3, inFlight: 0 },
      ...{ reward: null, termination: null },
    };
    const ended = {
      ...{ path: "/d/proxy_trajectory.json", reward: { reward: 1 }, termination: "timeout" },
      ...{ calls: 3, tokensSampled: 7, segments: 1, versionSpan: [1, 2] },
    };
    const answers = new Map<string, unknown>([
      ["/api/v1/sessions", { sessions: [row] }],
      ["/api/v1/sessions/outside-1", { ...row, ...ended }],
      ["/api/v1/sessions/outside-1/complete", ended],
    ]);
    const runner = await startRunnerStandIn(control.ctx.config.dataDir, answers);
    const ask = async (path: string, method = "GET") => {
      const response = await fetch(`${base}/api/v1/sessions${path}`, { method, headers: bearer });
      return { status: response.status, body: await response.json() };
    };
    const body = { sessions: [{ ...row, project: null, runName: null }] };
    expect(await ask("")).toEqual({ status: 200, body });
    expect(await ask("?project=mine")).toEqual({ status: 200, body });
    expect(await ask("/outside-1")).toEqual({ status: 200, body: { ...row, ...ended } });
    expect((await ask("/nobody")).status).toBe(404);
    expect(await ask("/outside-1/complete", "POST")).toEqual({ status: 200, body: ended });
    await runner.close();
  });

  const dial = (
    { "sec-websocket-protocol": offered, ...headers }: Record<string, string>,
    path = "/trpc",
  ) =>
    new Promise<"open" | number>((resolve) => {
      const url = `${base.replace("http", "ws")}${path}`;
      const socket = new WebSocket(url, offered?.split(", ") ?? [], { headers });
      socket.on("open", () => {
        socket.close();
        resolve("open");
      });
      socket.on("unexpected-response", (_, response) => resolve(response.statusCode ?? 0));
      socket.on("error", () => undefined);
    });

  test("a WebSocket needs a cookie, the page's key and our origin, or the token", async () => {
    const { pair, pageKey } = await signIn();
    const page = { cookie: pair, "sec-websocket-protocol": `liverl, liverl-page.${pageKey}` };
    expect(await dial({})).toBe(401);
    expect(await dial({ cookie: pair, origin: base })).toBe(401);
    expect(await dial(page)).toBe(403);
    expect(await dial({ ...page, origin: "http://evil.test" })).toBe(403);
    expect(await dial({ ...page, origin: base }, "/elsewhere")).toBe(404);
    expect(await dial({ ...page, origin: base })).toBe("open");
    expect(await dial(bearer)).toBe("open");
  });
});
