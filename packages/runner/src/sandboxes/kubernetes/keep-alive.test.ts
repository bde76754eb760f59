import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { keepAlive } from "#sandboxes/kubernetes/keep-alive.ts";

const PULSE = { everyMs: 20, mostUnanswered: 3 };

let server: WebSocketServer;
let client: WebSocket;
afterEach(() => {
  client.terminate();
  server.close();
});

/** A stand-in for the API server's side, which answers pings or keeps silent. */
async function connect({ autoPong, talks = false }: { autoPong: boolean; talks?: boolean }) {
  server = new WebSocketServer({ host: "127.0.0.1", port: 0, autoPong });
  await once(server, "listening");
  const pings = { count: 0 };
  server.on("connection", (socket) => {
    socket.on("ping", () => {
      pings.count++;
      if (talks) socket.send("output");
    });
  });
  client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await once(client, "open");
  const silent = { count: 0 };
  keepAlive(client, () => silent.count++, PULSE);
  return { pings, silent };
}

it("pings a connection that has nothing to say, which stays", async () => {
  const { pings, silent } = await connect({ autoPong: true });
  await expect.poll(() => pings.count).toBeGreaterThan(8);
  expect(silent.count).toBe(0);
});

it("tells once of a connection on which nothing comes back", async () => {
  const { pings, silent } = await connect({ autoPong: false });
  await expect.poll(() => silent.count).toBe(1);
  expect(pings.count).toBe(3);
  await sleep(100);
  expect([silent.count, pings.count]).toEqual([1, 3]);
});

it("takes what comes for an answer", async () => {
  const { pings, silent } = await connect({ autoPong: false, talks: true });
  await expect.poll(() => pings.count).toBeGreaterThan(8);
  expect(silent.count).toBe(0);
});

it("does not doubt a connection that its reader has paused", async () => {
  const { silent } = await connect({ autoPong: true });
  client.pause();
  await sleep(200);
  expect(silent.count).toBe(0);
  client.resume();
});

it("is over with the connection", async () => {
  const { pings, silent } = await connect({ autoPong: false });
  await expect.poll(() => pings.count).toBeGreaterThan(0);
  client.terminate();
  await sleep(150);
  expect(silent.count).toBe(0);
});
