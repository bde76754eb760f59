import { once } from "node:events";
import { PassThrough } from "node:stream";
import { SHELL_WINDOW_BYTES, type ShellTold } from "@liverl/contract/shell";
import pino from "pino";
import { afterEach, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import type { Shell } from "#shells/attempt-shells.ts";
import { serveShell } from "#shells/serve-shell.ts";

const servers: WebSocketServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A shell of streams that the test holds, served over a real WebSocket. */
async function build(idleMs?: number) {
  const input = new PassThrough();
  const output = new PassThrough();
  const sizes: unknown[] = [];
  const ending = new AbortController();
  let closed = 0;
  const shell: Shell = {
    sandbox: "s",
    terminal: {
      input,
      output,
      resize: async (size) => void sizes.push(size),
      close: () => Promise.resolve(),
    },
    ending: ending.signal,
    close: () => {
      closed++;
      return Promise.resolve();
    },
  };
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  servers.push(server);
  await once(server, "listening");
  let served: Promise<void> = Promise.resolve();
  server.on("connection", (client) => {
    const opened = { rolloutId: "r", actor: "operator", shell, refusal: null };
    served = serveShell({ log: pino({ level: "silent" }) }, client, opened, idleMs);
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("it listens");
  const client = new WebSocket(`ws://127.0.0.1:${address.port}`);
  const told: ShellTold[] = [];
  const bytes: Buffer[] = [];
  client.on("message", (data: Buffer, isBinary) => {
    if (isBinary) bytes.push(data);
    else told.push(JSON.parse(String(data)));
  });
  await once(client, "open");
  await expect.poll(() => told.length).toBe(1);
  const size = () => bytes.reduce((sum, part) => sum + part.length, 0);
  const isServed = () => served;
  return {
    client,
    input,
    output,
    sizes,
    ending,
    told,
    bytes,
    size,
    closed: () => closed,
    isServed,
  };
}

it("carries keys and output, and a size, but no size that is none", async () => {
  const { client, input, output, sizes, bytes, told } = await build();
  client.send(Buffer.from("ls\n"));
  client.send('{"kind":"resize","columns":0,"rows":10}');
  client.send("not JSON");
  client.send('{"kind":"resize","columns":90,"rows":10}');
  output.write("a b");
  await expect.poll(() => sizes).toEqual([{ kind: "resize", columns: 90, rows: 10 }]);
  await expect.poll(() => String(Buffer.concat(bytes))).toBe("a b");
  expect(String(input.read())).toBe("ls\n");
  expect(told).toEqual([{ kind: "opened", sandbox: "s" }]);
});

it("sends no more than is taken, and goes on when it is", async () => {
  const { client, output, size } = await build();
  const total = SHELL_WINDOW_BYTES * 4;
  output.end(Buffer.alloc(total, "y"));
  await expect.poll(size).toBe(SHELL_WINDOW_BYTES);
  let taken = 0;
  while (taken < total) {
    const bytes = size() - taken;
    taken += bytes;
    if (bytes > 0) client.send(JSON.stringify({ kind: "taken", bytes }));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(size()).toBe(total);
});

it("ends with words when the shell ends, may not go on, or is forgotten", async () => {
  const over = await build();
  over.output.end();
  await once(over.client, "close");
  expect(over.told.at(-1)).toEqual({ kind: "ended", reason: "The shell has ended." });
  const stopped = await build();
  stopped.ending.abort("The trial has ended.");
  await once(stopped.client, "close");
  expect(stopped.told.at(-1)).toEqual({ kind: "ended", reason: "The trial has ended." });
  const forgotten = await build(100);
  await once(forgotten.client, "close");
  expect(forgotten.told.at(-1)).toMatchObject({ kind: "ended" });
  for (const one of [over, stopped, forgotten]) {
    await one.isServed();
    expect(one.closed()).toBe(1);
  }
});

it("closes the shell of a page that has gone", async () => {
  const { client, closed } = await build();
  client.terminate();
  await expect.poll(closed).toBe(1);
});
