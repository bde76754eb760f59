import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { probeRay } from "#launch/verl-evidence/probe-ray.ts";

const TOKEN = "t0ken";
const PAGES: Record<string, unknown> = {
  "/api/version": { version: "4", ray_version: "2.60.0", ray_commit: "x", session_name: "s" },
  "/api/authentication_mode": { authentication_mode: "token" },
  "/nodes?view=summary": {
    result: true,
    data: {
      summary: [
        {
          gpus: [
            { index: 0, memoryTotal: 81_559 },
            { index: 1, memoryTotal: 40_960 },
          ],
          raylet: { state: "ALIVE", resourcesTotal: { CPU: 64, GPU: 2, "node:1": 1 } },
        },
        { gpus: [], raylet: { state: "ALIVE", resourcesTotal: { CPU: 8 } } },
        { gpus: [], raylet: { state: "DEAD", resourcesTotal: { CPU: 99, GPU: 9 } } },
      ],
    },
  },
};

/** Stands in for Ray's dashboard: its answers of 2.60, and its 401 and 403. */
let server: Server;
/** Of its clock. */
let aheadMs = 0;
function listen(below = ""): Promise<string> {
  server = createServer((request, response) => {
    const path = request.url?.slice(below.length) ?? "";
    response.setHeader("date", new Date(Date.now() + aheadMs).toUTCString());
    const isPublic = path === "/api/authentication_mode";
    const given = request.headers.authorization;
    if (!isPublic && given !== `Bearer ${TOKEN}`)
      response.writeHead(given === undefined ? 401 : 403).end("no");
    else response.end(JSON.stringify(PAGES[path] ?? {}));
  });
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}${below}`),
    ),
  );
}
afterEach(() => new Promise((resolve) => server.close(resolve)));

test("a cluster with a token says what it has", async () => {
  const folder = await mkdtemp(join(tmpdir(), "liverl-ray-"));
  const path = join(folder, "token");
  await writeFile(path, `${TOKEN}\n`);
  expect(await probeRay(await listen(), path)).toEqual({
    version: "2.60.0",
    fault: null,
    authentication: "token",
    hasToken: true,
    tokenFault: null,
    isLoopback: true,
    clockAheadS: expect.any(Number),
    resources: { cpus: 72, gpus: 2, nodes: 2, gpuMb: 40_960 },
  });
  await writeFile(path, "another");
  const refused = await probeRay(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    path,
  );
  expect(refused).toMatchObject({
    version: null,
    fault: expect.stringMatching(/refuses the token in /),
  });
  await rm(folder, { recursive: true });
});

test("without the token it is told to be wanted", async () => {
  expect(await probeRay(await listen(), "/nowhere/token")).toMatchObject({
    version: null,
    fault: expect.stringMatching(/asks for a token/),
    authentication: "token",
    hasToken: false,
    tokenFault: "The token of the Ray cluster can not be read from /nowhere/token.",
  });
});

test("a dashboard below a path of a reverse proxy is asked there", async () => {
  expect(await probeRay(await listen("/team/ray"), null)).toMatchObject({
    fault: expect.stringMatching(/asks for a token/),
    authentication: "token",
  });
});

test("how far its clock is from ours, also where it does not let us in", async () => {
  aheadMs = -90_000;
  const { clockAheadS, version } = await probeRay(await listen(), null);
  aheadMs = 0;
  expect(version).toBeNull();
  expect(Math.abs((clockAheadS ?? 0) + 90)).toBeLessThanOrEqual(1);
});
