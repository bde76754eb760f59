import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { KubeConfig, type V1Pod } from "@kubernetes/client-node";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { KubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";
import { Pods } from "#sandboxes/kubernetes/pods.ts";
import { LABEL } from "#sandboxes/sandbox-labels.ts";

const RUN = "swe/agent-07";
const pod = (name: string, instance: string, run = RUN): V1Pod => ({
  metadata: {
    name,
    labels: { [LABEL.instance]: instance },
    annotations: { [LABEL.run]: run },
  },
  status: { phase: "Running" },
});

/** A stand-in for the API server: lists what a test sets, and remembers what it was asked to delete. */
let listed: V1Pod[];
let asked: string[];
let server: Server;
let pods: Pods;
beforeEach(async () => {
  [listed, asked] = [[], []];
  server = createServer((request, answer) => {
    asked.push(`${request.method} ${decodeURIComponent(request.url ?? "")}`);
    answer.writeHead(200, { "content-type": "application/json" });
    const list = { apiVersion: "v1", kind: "PodList", metadata: {}, items: listed };
    answer.end(JSON.stringify(request.method === "GET" ? list : pod("gone", "here")));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const config = new KubeConfig();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  config.loadFromClusterAndUser({ name: "c", server: url, skipTLSVerify: true }, { name: "u" });
  const settings = { config, server: url, namespace: "n", createsPerS: 1 } as KubeSettings;
  const log = { info: () => undefined, debug: () => undefined };
  pods = new Pods(settings, "here", log);
});
afterEach(() => {
  pods.feed.close();
  server.closeAllConnections();
  server.close();
});

it("finds the run's pods that nobody owns, and says whose they are", async () => {
  const owned = pods.own();
  const going = pod("going", "here");
  listed = [
    pod("left", "here"),
    pod("foreign", "elsewhere"),
    pod(owned, "here"),
    // Its label is cut to the same value, its run is another.
    pod("other-run", "here", "swe_agent-07"),
    { ...going, metadata: { ...going.metadata, deletionTimestamp: new Date() } },
  ];
  expect(await pods.left(RUN)).toEqual([
    { name: "left", isOurs: true, phase: "Running" },
    { name: "foreign", isOurs: false, phase: "Running" },
  ]);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain(
    `${LABEL.managedBy}=liverl,${LABEL.harbor}=true,${LABEL.run}=swe_agent-07`,
  );
});

it("removes those of this LiveRL, and others only when it is forced", async () => {
  listed = [pod("left", "here"), pod("foreign", "elsewhere")];
  const deleted = () =>
    asked
      .filter((line) => line.startsWith("DELETE"))
      .map((line) => line.split("?")[0]?.split("/").at(-1));
  expect(await pods.removeLeft(RUN, { others: false })).toBe(1);
  expect(deleted()).toEqual(["left"]);
  expect(await pods.removeLeft(RUN, { others: true })).toBe(2);
  expect(deleted()).toEqual(["left", "left", "foreign"]);
});
