import { mkdir, readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { KubeRayJob } from "#drivers/verl/kuberay-job.ts";
import { verlFiles } from "#drivers/verl/verl-files.ts";
import { loadKube } from "#kube/load-kube.ts";
import { buildRayJobManifest } from "#kube/rayjob-manifest.ts";
import { KUBERAY_DEFAULTS } from "#launch/verl-defaults.ts";
import { insertRun } from "#runs/insert-run.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec } from "#testing/factories.ts";
import { KubeStandIn, send } from "#testing/kube-stand-in.ts";
import { testPlaces } from "#testing/test-places.ts";

const RAYJOBS = "/apis/ray.io/v1/namespaces/n/rayjobs";
const never = new AbortController().signal;
let control: TestControl;
let server: KubeStandIn;
let runId: string;
/** RayJobs that are there, by name. */
let jobs: Map<string, object>;
/** Answers creations once with this instead, after they were done. */
let cutAfterCreate = false;

beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());
beforeEach(async () => {
  server = await new KubeStandIn().start();
  jobs = new Map();
  cutAfterCreate = false;
  const run = await insertRun(control.ctx, {
    ...{ project: "tests", name: "kube", status: "booting", driver: "kuberay" },
    ...{ spec: launchSpec(), tags: [] },
  });
  runId = run.id;
  await mkdir(files().logs, { recursive: true });
  const core = "/api/v1/namespaces/n";
  for (const kind of ["configmaps", "secrets"]) server.json(`${core}/${kind}`, {}, 201);
  server.json(`${core}/pods`, { items: [] });
  server.answers.set(RAYJOBS, (request, response) => {
    text(request).then((body) => {
      const made = JSON.parse(body) as { metadata: { name: string } };
      const { name } = made.metadata;
      if (jobs.has(name)) return send(response, 409, { kind: "Status", message: "already exists" });
      jobs.set(name, { ...made, metadata: { ...made.metadata, uid: `uid-${name}` } });
      serve(name);
      if (cutAfterCreate) return response.destroy();
      send(response, 201, jobs.get(name) ?? {});
    });
  });
});
afterEach(() => server.stop());

/** The paths of one launch: its RayJob, and the objects that it owns. */
function serve(name: string) {
  server.answers.set(`${RAYJOBS}/${name}`, (request, response) => {
    const known = jobs.get(name);
    if (request.method === "DELETE") jobs.delete(name);
    if (known) send(response, 200, known);
    else send(response, 404, { kind: "Status", message: "not found", details: { name } });
  });
  server.json(`/api/v1/namespaces/n/configmaps/${name}-code`, {});
  for (const end of ["secret", "env"])
    server.json(`/api/v1/namespaces/n/secrets/${name}-${end}`, {});
}

const files = () => verlFiles(control.ctx.config.dataDir, runId);
/** As each life of control builds it. */
const build = (kubeconfig = server.kubeconfig) =>
  new KubeRayJob(control.ctx, {
    ...{ runId, attempt: 1, files: files(), env: { WANDB_API_KEY: "very-secret" } },
    place: () => loadKube({ kubeconfig, context: null, namespace: "n" }, testPlaces()),
    objects: (name) => ({
      ...{ code: { a: "b" }, secret: {}, env: {} },
      manifest: buildRayJobManifest(KUBERAY_DEFAULTS, { name, runId, attempt: 1, code: new Map() }),
    }),
  });
const status = (change: object) => {
  for (const [name, job] of jobs) jobs.set(name, { ...job, status: change });
};
const created = () => server.requests.filter((line) => line === `POST ${RAYJOBS}`).length;

test("a RayJob is made once, over repeated starts and another life of control", async () => {
  const first = build();
  await first.start(never);
  await first.start(never);
  await build().start(never);
  expect([created(), jobs.size]).toEqual([1, 1]);
  expect(await build().state()).toMatchObject({ kind: "waiting" });
});

test("one that was made although its answer was lost is found again", async () => {
  cutAfterCreate = true;
  await expect(build().start(AbortSignal.timeout(300))).rejects.toThrow();
  cutAfterCreate = false;
  expect(jobs.size).toBe(1);
  expect(JSON.parse(await readFile(files().job(1), "utf8"))).toMatchObject({ uid: null });
  const next = build();
  expect(await next.state()).toEqual({ kind: "waiting", detail: "the RayJob was created" });
  expect(jobs.size).toBe(1);
  status({ jobDeploymentStatus: "Running", jobStatus: "RUNNING" });
  expect(await build().state()).toEqual({ kind: "running" });
});

test("an end is kept, its words without secrets, and what it brought is removed", async () => {
  await build().start(never);
  const message = "exit code 2: login with very-secret failed\nmore";
  status({ jobDeploymentStatus: "Failed", jobStatus: "FAILED", reason: "AppFailed", message });
  const end = {
    ...{ kind: "ended", code: 2 },
    detail: "verl failed: exit code 2: login with [redacted] failed",
  };
  expect(await build().state()).toEqual(end);
  expect(server.requests.filter((line) => line.startsWith("DELETE /api/v1"))).toHaveLength(3);
  expect(await build("/tmp/nowhere").state()).toEqual(end);
});

test("nothing follows from a server that fails or a kubeconfig that is away, but from a RayJob of the same name that is another", async () => {
  await build().start(never);
  expect(await build("/tmp/nowhere").state()).toMatchObject({
    kind: "unknown",
    detail: expect.stringMatching(/There is no kubeconfig/),
  });
  const [name = ""] = jobs.keys();
  server.json(`${RAYJOBS}/${name}`, {}, 503);
  expect(await build().state()).toMatchObject({ kind: "unknown" });
  server.json(`${RAYJOBS}/${name}`, { kind: "Status", message: "forbidden" }, 403);
  expect(await build().state()).toMatchObject({
    kind: "unknown",
    detail: expect.stringMatching(/may not get/),
  });
  server.json(`${RAYJOBS}/${name}`, { metadata: { name, uid: "another" } });
  expect(await build().state()).toMatchObject({ kind: "ended", code: null });
});

test("a stop resolves when RayJob and pods are gone", async () => {
  await build().start(never);
  const gone = { at: 0 };
  const pod = { metadata: { name: "p", uid: "p" }, spec: { containers: [] }, status: {} };
  server.json("/api/v1/namespaces/n/pods", { items: [pod] });
  setTimeout(() => {
    gone.at = performance.now();
    server.json("/api/v1/namespaces/n/pods", { items: [] });
  }, 1_500);
  await build().stop();
  expect(gone.at).toBeGreaterThan(0);
  expect(jobs.size).toBe(0);
});

test("a run that was never submitted has nothing to stop", async () => {
  await build().stop();
  expect(await build().state()).toMatchObject({
    kind: "ended",
    detail: expect.stringMatching(/never submitted/),
  });
});
