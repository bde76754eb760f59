import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { CommandStream, Sandbox, StreamCommand } from "#sandboxes/sandbox.ts";
import { openTunnel, type Tunnel } from "#scaffolds/tunnel/open-tunnel.ts";
import { builtEntry } from "#testing/built-entry.ts";

/** Stands in for a sandbox: its commands are real processes of this host. `e2e/reality/docker` has the real one. */
const sandbox: Pick<Sandbox, "stream"> = {
  stream: async ({ argv: [command = "", ...args] }: StreamCommand): Promise<CommandStream> => {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
    let errors = "";
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    return {
      input: child.stdin,
      output: child.stdout,
      errors: () => errors,
      isRunning: async () => child.exitCode === null && child.signalCode === null,
      close: () => child.kill("SIGKILL"),
    };
  },
};

let session: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let seen: { url: string | undefined; key: string | undefined; given: unknown; step: unknown }[];
let turns: number;
let tunnel: Tunnel | null;
beforeAll(async () => {
  session = createServer((request, response) => {
    const { authorization, "x-api-key": given, "x-liverl-task-step": step } = request.headers;
    seen.push({ url: request.url, key: authorization, given, step });
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(session, "listening");
});
beforeEach(() => {
  seen = [];
  turns = 0;
});
afterEach(() => tunnel?.close());
afterAll(() => {
  session.closeAllConnections();
  session.close();
});

async function open({
  mayCall = () => true,
  argv,
  taskStep,
  signal = new AbortController().signal,
}: {
  mayCall?(): boolean;
  argv?: string[];
  taskStep?: string;
  signal?: AbortSignal;
} = {}) {
  const { port } = session.address() as AddressInfo;
  tunnel = await openTunnel(
    // Only stream is called.
    sandbox as Sandbox,
    argv ?? [process.execPath, builtEntry("sandbox-tunnel")],
    {
      baseUrl: `http://127.0.0.1:${port}/sess/s1/v1`,
      apiKey: "the-key",
      taskStep: taskStep ?? null,
      mayCall,
      onTurn: () => turns++,
      giveUpMs: 200,
      signal,
    },
  );
  return tunnel;
}

it("carries calls to its session's URL with the key that the agent does not have", async () => {
  answer = (request, response) => {
    response.setHeader("content-type", "text/plain");
    request.pipe(response);
  };
  const { url } = await open();
  const body = "a".repeat(3_000_000);
  const bodies = await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      const headers = { "x-api-key": "liverl", connection: i % 2 ? "close" : "keep-alive" };
      const call = { method: "POST", headers, body: `${i}${body}` };
      return (await fetch(`${url}/v1/messages?beta=true`, call)).text();
    }),
  );
  expect(bodies.map((text, i) => text === `${i}${body}`)).not.toContain(false);
  expect(turns).toBe(12);
  expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(
    new Set([JSON.stringify({ url: "/sess/s1/v1/messages?beta=true", key: "Bearer the-key" })]),
  );
});

it("says at which step of its task the agent is, and the agent can not", async () => {
  answer = (_, response) => response.end("{}");
  const claim = { "x-liverl-task-step": "another" };
  const first = await open();
  await fetch(`${first.url}/v1/models`, { headers: claim });
  first.close();
  const second = await open({ taskStep: "zweiter Schritt ü" });
  await fetch(`${second.url}/v1/models`, { headers: claim });
  expect(seen.map(({ step }) => step)).toEqual([
    undefined,
    encodeURIComponent("zweiter Schritt ü"),
  ]);
});

it.each(["/", "/sess/s2/v1/models", "/v1/%2e%2e/x", "/v1/a.b", "/v1//x"])(
  "does not carry %s",
  async (path) => {
    const { url } = await open();
    expect((await fetch(url + path)).status).toBe(403);
    expect((await fetch(`${url}/v1/models`, { method: "DELETE" })).status).toBe(403);
    expect(seen).toEqual([]);
  },
);

it("gives an answer on as it comes, and cuts the call when the agent goes away", async () => {
  let wasCut = Promise.resolve<unknown>(null);
  answer = (_, response) => {
    wasCut = once(response, "close");
    response.write("first");
  };
  const { url } = await open();
  const leaving = new AbortController();
  const { body } = await fetch(`${url}/v1/models`, { signal: leaving.signal });
  const first = await body?.getReader().read();
  expect(new TextDecoder().decode(first?.value)).toBe("first");
  leaving.abort();
  await wasCut;
});

it("an answer that nobody reads waits where it comes from", async () => {
  let written = 0;
  answer = async (_, response) => {
    const part = Buffer.alloc(64 * 1024);
    for (let i = 0; i < 2_000 && !response.destroyed; i++) {
      written += part.length;
      if (!response.write(part)) await Promise.race([once(response, "drain"), sleep(1_000)]);
    }
  };
  const { url } = await open();
  await fetch(`${url}/v1/models`);
  await sleep(500);
  expect(written).toBeLessThan(40_000_000);
});

it("refuses a call when no turn is left, and tells what was not the agent's fault", async () => {
  answer = (_, response) => response.writeHead(503).end();
  const call = { method: "POST", body: "{}" };
  const { url, fault } = await open();
  await fetch(`${url}/v1/messages`, call);
  expect(await fault()).toBe("it answered 503");
  tunnel?.close();
  const refusing = await open({ mayCall: () => false });
  expect((await fetch(`${refusing.url}/v1/messages`, call)).status).toBe(403);
  expect(seen).toHaveLength(1);
});

it("tells an agent that waits for a model that is gone from one that is late itself", async () => {
  answer = (_, response) => response.writeHead(200).flushHeaders();
  const call = (url: string) => fetch(`${url}/v1/messages`, { method: "POST", body: "{}" });
  const late = new AbortController();
  const waiting = await open({ signal: late.signal });
  // Its headers are no answer yet.
  call(waiting.url).catch(() => undefined);
  await expect.poll(() => seen.length).toBe(1);
  expect(waiting.stall).toBeNull();
  await sleep(300);
  late.abort();
  expect(waiting.stall).toMatch(/^a call had no answer for/);
  tunnel?.close();
  answer = (_, response) => response.writeHead(200).end("{}");
  const slow = new AbortController();
  const working = await open({ signal: slow.signal });
  await (await call(working.url)).text();
  await sleep(300);
  slow.abort();
  expect(working.stall).toBeNull();
});

it("says why where it can not run", async () => {
  const argv = ["sh", "-c", "echo not found >&2; sleep 0.3; exit 127"];
  await expect(open({ argv })).rejects.toMatchObject({
    exceptionType: "AgentSetupError",
    userMessage: expect.stringContaining("not found"),
  });
});

it("frames that break the protocol end it", async () => {
  const argv = ["sh", "-c", "printf '\\001\\001\\001\\001\\001\\377\\377\\377\\377'; sleep 5"];
  await expect(open({ argv })).rejects.toMatchObject({ exceptionType: "AgentSetupError" });
});
