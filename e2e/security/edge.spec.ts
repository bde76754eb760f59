import { request } from "node:http";
import { WebSocket } from "ws";
import { attempt, test, tokenOf } from "#fixtures/attacker.ts";
import { expect, type LiveRL } from "#fixtures/liverl.ts";

/** Sends headers that `fetch` would not let a caller set. */
function statusWith(
  liverl: LiveRL,
  path: string,
  headers: Record<string, string>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(liverl.url + path, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.once("error", reject);
    asked.end();
  });
}

test("without a token nothing but the sign-in page answers", async ({ liverl }) => {
  for (const path of ["/", "/trpc/run.list", "/api/v1/run/list", "/api/v1/openapi.json"])
    expect((await attempt(liverl, path)).status, path).toBe(401);
  for (const path of ["/trpc/run.launch", "/api/v1/metrics", "/graphql"])
    expect((await attempt(liverl, path, { body: {} })).status, path).toBe(401);
  expect((await attempt(liverl, "/api/v1/run/list", { token: "wrong" })).status).toBe(401);
});

test("a read token may look, and neither act nor make tokens", async ({ liverl }) => {
  const token = await tokenOf(liverl, "read");
  expect((await attempt(liverl, "/api/v1/run/list", { token })).status).toBe(200);
  for (const path of ["/api/v1/run/launch", "/trpc/run.launch", "/api/v1/token/create"])
    expect((await attempt(liverl, path, { token, body: {} })).status, path).toBe(403);
});

test("another host name is refused, as after a DNS rebinding", async ({ liverl }) => {
  expect(await statusWith(liverl, "/healthz", { host: "evil.test" })).toBe(421);
  expect(await statusWith(liverl, "/healthz", { host: "127.0.0.1:1" })).toBe(421);
});

test("a WebSocket of another site is refused before the upgrade", async ({ liverl }) => {
  const refused = await new Promise((resolve) => {
    const socket = new WebSocket(`${liverl.url.replace("http", "ws")}/trpc`, {
      headers: { origin: "http://evil.test" },
    });
    socket.once("open", () => resolve("open"));
    socket.once("unexpected-response", (_, response) => resolve(response.statusCode));
    socket.once("error", () => undefined);
  });
  expect(refused).toBe(403);
});
