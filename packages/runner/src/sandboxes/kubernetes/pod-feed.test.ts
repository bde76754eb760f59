import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { KubeConfig, type V1Pod } from "@kubernetes/client-node";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PodFeed } from "#sandboxes/kubernetes/pod-feed.ts";

const log = { debug: () => undefined };
const podOf = (name: string, phase: string): V1Pod => ({ metadata: { name }, status: { phase } });

/** A stand-in for the API server's watch; the list is the test's own. */
let watches: ServerResponse[];
let listed: V1Pod[];
let lists: number;
let feed: PodFeed;
let close: () => void;
beforeEach(async () => {
  [watches, listed, lists] = [[], [], 0];
  const server = createServer((_, answer) => {
    answer.writeHead(200).flushHeaders();
    watches.push(answer);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    {
      name: "here",
      server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      skipTLSVerify: true,
    },
    { name: "here" },
  );
  const calls = {
    listPods: async () => {
      lists++;
      return { pods: listed, version: String(lists) };
    },
  };
  feed = new PodFeed({ config, namespace: "n" }, calls, "label=one", log);
  feed.start();
  await expect.poll(() => watches.length).toBe(1);
  close = () => {
    feed.close();
    server.closeAllConnections();
    server.close();
  };
});
afterEach(() => {
  vi.useRealTimers();
  close();
});

const say = (type: string, object: object) =>
  watches.at(-1)?.write(`${JSON.stringify({ type, object })}\n`);

it("wakes who waits for that pod, and nobody else", async () => {
  const woken: string[] = [];
  const others = new AbortController();
  void feed.news("other", 60_000, others.signal).then(
    () => woken.push("other"),
    () => undefined,
  );
  const mine = feed.news("mine", 60_000).then(() => woken.push("mine"));
  say("ADDED", podOf("mine", "Pending"));
  await mine;
  expect(woken).toEqual(["mine"]);
  expect(feed.get("mine")?.status?.phase).toBe("Pending");
  say("DELETED", podOf("mine", "Pending"));
  await feed.news("mine", 60_000);
  expect(feed.get("mine")).toBeNull();
  others.abort();
});

it("lists anew where the server has forgotten, and wakes everyone", async () => {
  listed = [podOf("mine", "Running")];
  const news = feed.news("mine", 60_000);
  say("ERROR", { code: 410 });
  await news;
  expect(feed.get("mine")?.status?.phase).toBe("Running");
  await expect.poll(() => watches.length).toBe(2);
  expect(lists).toBe(2);
});

it("doubts a watch that is silent while news are due, and no other", async () => {
  listed = [podOf("mine", "Running")];
  feed.doubt();
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + 9_000);
  say("BOOKMARK", { metadata: { resourceVersion: "2" } });
  say("ADDED", podOf("other", "Pending"));
  await feed.news("other", 60_000);
  vi.setSystemTime(Date.now() + 9_000);
  feed.doubt();
  expect(feed.get("mine")).toBeNull();
  vi.setSystemTime(Date.now() + 2_000);
  const news = feed.news("mine", 60_000);
  feed.doubt();
  feed.doubt();
  await news;
  expect(feed.get("mine")?.status?.phase).toBe("Running");
  expect(lists).toBe(2);
});
