import { afterEach, beforeEach, expect, test } from "vitest";
import { KubeClient } from "#kube/kube-client.ts";
import { loadKube } from "#kube/load-kube.ts";
import type { RayJobObject } from "#kube/rayjob.ts";
import { streamPodLog } from "#kube/stream-pod-log.ts";
import { KubeStandIn, send } from "#testing/kube-stand-in.ts";
import { testPlaces } from "#testing/test-places.ts";

const RAYJOBS = "/apis/ray.io/v1/namespaces/n/rayjobs";
const POD_LOG = "/api/v1/namespaces/n/pods/p/log";
const job = { metadata: { name: "a", uid: "u", resourceVersion: "5" } };
const never = new AbortController().signal;
let server: KubeStandIn;
beforeEach(async () => {
  server = await new KubeStandIn().start();
});
afterEach(() => server.stop());
const place = () =>
  loadKube({ kubeconfig: server.kubeconfig, context: null, namespace: "n" }, testPlaces());
const client = () => new KubeClient(place());

test("429 is waited out as long as the server says, and not for ever", async () => {
  let refusals = 1;
  server.answers.set(`${RAYJOBS}/a`, (_request, response) => {
    if (refusals-- > 0) send(response, 429, { kind: "Status" }, { "retry-after": "1" });
    else send(response, 200, job);
  });
  const began = performance.now();
  expect((await client().getRayJob("a")).metadata.uid).toBe("u");
  expect(performance.now() - began).toBeGreaterThan(950);
  refusals = Number.POSITIVE_INFINITY;
  await expect(client().getRayJob("a")).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
});

test("a missing RayJob is told from a missing KubeRay", async () => {
  await expect(client().getRayJob("a")).rejects.toThrow(/KubeRay is not installed/);
  const details = { name: "a", group: "ray.io", kind: "rayjobs" };
  server.json(`${RAYJOBS}/a`, { kind: "Status", message: "not found", details }, 404);
  await expect(client().getRayJob("a")).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect(await client().deleteRayJob("a")).toBe(false);
  expect(await client().hasRayJobs()).toBe(false);
});

test("a watch tells changes and deletions, and ends by 410 or with its caller, also unanswered", async () => {
  const told: (RayJobObject | null)[] = [];
  const events = [
    { type: "MODIFIED", object: { ...job, status: { jobDeploymentStatus: "Running" } } },
    { type: "BOOKMARK", object: { kind: "RayJob", metadata: { resourceVersion: "7" } } },
    { type: "DELETED", object: job },
    { type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } },
  ];
  server.answers.set(RAYJOBS, (request, response) => {
    expect(request.url).toContain("resourceVersion=5");
    response.writeHead(200);
    // The connection stays open.
    response.write(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  });
  await client().watchRayJob("a", "5", (seen) => told.push(seen), never);
  expect(told.map((seen) => seen?.status.jobDeploymentStatus)).toEqual(["Running", undefined]);
  server.answers.set(RAYJOBS, () => undefined);
  await client().watchRayJob("a", "5", () => undefined, AbortSignal.timeout(200));
});

test("a log that breaks off rejects, a refused one says why, a left one ends", async () => {
  const read = async (signal: AbortSignal) => {
    const parts: Buffer[] = [];
    const asked = { pod: "p", container: "c", sinceTime: null };
    for await (const part of streamPodLog(place(), asked, signal)) parts.push(part);
    return Buffer.concat(parts).toString();
  };
  server.answers.set(POD_LOG, (_request, response) => {
    response.writeHead(200);
    response.write("half");
    setTimeout(() => response.destroy(), 50);
  });
  await expect(read(never)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  server.json(POD_LOG, { kind: "Status", message: "pods is forbidden" }, 403);
  await expect(read(never)).rejects.toThrow(/may not get pods\/log in the namespace n/);
  server.answers.set(POD_LOG, (_request, response) => void response.writeHead(200).write("line\n"));
  expect(await read(AbortSignal.timeout(200))).toBe("line\n");
});
