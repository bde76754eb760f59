import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pullJobLog } from "#ray/pull-job-log.ts";
import { buildRayClient, type RayClient } from "#ray/ray-client.ts";
import { redactValues } from "#ray/redact-values.ts";
import { zipFiles } from "#ray/zip-files.ts";
import { RayStandIn } from "#testing/ray-stand-in.ts";
import { until } from "#testing/until.ts";

let head: RayStandIn;
let folder: string;
let ray: RayClient;
const request = (submission_id: string) => ({
  submission_id,
  entrypoint: "true",
  runtime_env: { env_vars: { WANDB_API_KEY: "very-secret" } },
  metadata: {},
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-ray-"));
  head = await new RayStandIn().start();
  head.token = "the-token";
  await writeFile(join(folder, "token"), "the-token\n");
  ray = buildRayClient({ address: head.address, tokenPath: join(folder, "token") });
});
afterEach(async () => {
  await head.stop();
  await rm(folder, { recursive: true, force: true });
});

test("a job goes from submission to its end; env_vars that come back are dropped", async () => {
  await ray.submitJob(request("a"));
  const job = await ray.getJob("a");
  expect(job.status).toBe("PENDING");
  expect(JSON.stringify(job)).not.toContain("very-secret");
  await expect(ray.submitJob(request("a"))).rejects.toMatchObject({ code: "CONFLICT" });
  expect(await ray.stopJob("a")).toBe(true);
  expect(await ray.stopJob("a")).toBe(false);
  await expect(ray.getJob("none")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("the token is read at each call, and a wrong, a missing and no token are told apart", async () => {
  await ray.version();
  head.token = "renewed";
  await expect(ray.version()).rejects.toMatchObject({ code: "FORBIDDEN" });
  await writeFile(join(folder, "token"), "renewed");
  expect((await ray.version()).session_name).toBe("session_1");
  const open = buildRayClient({ address: head.address, tokenPath: null });
  await expect(open.version()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  expect(await open.authenticationMode()).toBe("token");
  await rm(join(folder, "token"));
  await expect(ray.version()).rejects.toMatchObject({ code: "BAD_REQUEST" });
});

test("no header but our own is sent, and none that Ray takes for a browser's", async () => {
  await ray.submitJob(request("h"));
  const sent = head.headers.at(-1) ?? {};
  expect(sent.authorization).toBe("Bearer the-token");
  expect(sent["user-agent"]).toBe("liverl");
  for (const name of ["origin", "referer", "cookie", "sec-fetch-site", "sec-fetch-mode"])
    expect(sent[name]).toBeUndefined();
});

test("away, too busy, and something that is not Ray are different errors", async () => {
  head.fault = { status: 429, text: "too many" };
  await expect(ray.actors()).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
  head.fault = { status: 200, text: "<html>hello</html>" };
  await expect(ray.version()).rejects.toMatchObject({ code: "BAD_REQUEST" });
  head.fault = null;
  await head.stop();
  await expect(ray.version()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await head.start();
});

test("a redirect is not followed: the token would go along", async () => {
  head.fault = { status: 302, text: "" };
  await expect(ray.version()).rejects.toThrow(/sends requests on/);
  expect(head.requests).toHaveLength(1);
  head.fault = null;
});

test("a package is named by its content and sent once", async () => {
  const files = new Map([
    ["liverl_verl/a.py", "x = 1\n"],
    ["agent_loops.yaml", "[]\n"],
  ]);
  const uri = await ray.ensurePackage(zipFiles(files));
  expect(await ray.ensurePackage(zipFiles(new Map(files)))).toBe(uri);
  expect(uri).toMatch(/^gcs:\/\/_ray_pkg_[0-9a-f]{32}\.zip$/);
  expect(head.requests.filter((line) => line.startsWith("PUT"))).toHaveLength(1);
  const [sent] = head.packages.values();
  expect(Object.keys(unzipSync(new Uint8Array(sent ?? [])))).toEqual([...files.keys()]);
});

test("each byte of a log is appended once, over broken connections and a second reader", async () => {
  const path = join(folder, "console.log");
  const line = (i: number) => `\u001b[36m(pid=${i})\u001b[0m step:${i} — é ${"x".repeat(i % 97)}\n`;
  await ray.submitJob(request("log"));
  const job = head.jobs.get("log");
  if (!job) throw new Error("the stand-in has no job");
  job.status = "RUNNING";
  let ended = false;
  for (let i = 0; !ended; i++) {
    for (let j = 0; j < 40; j++) job.log += line(i * 40 + j);
    const sizeOf = () =>
      readFile(path).then(
        (bytes) => bytes.length,
        () => 0,
      );
    const before = await sizeOf();
    const hasGrown = () => until(async () => (await sizeOf()) > before + 100, 10_000);
    const cut = new AbortController();
    const pulling = pullJobLog(
      ray.place,
      "log",
      path,
      i === 4 ? AbortSignal.timeout(5_000) : cut.signal,
    );
    if (i === 4) {
      Object.assign(job, { status: "SUCCEEDED", driver_exit_code: 0 });
      expect(await pulling).toBe(true);
      ended = true;
    } else if (i === 2) {
      await hasGrown();
      head.breakTails();
      await expect(pulling).rejects.toMatchObject({ code: "UNAVAILABLE" });
    } else {
      await hasGrown();
      cut.abort();
      expect(await pulling).toBe(false);
    }
  }
  expect(await readFile(path, "utf8")).toBe(job.log);
});

test("the log of a job that is not there is an error that says so", async () => {
  const pulling = pullJobLog(ray.place, "none", join(folder, "x"), AbortSignal.timeout(5_000));
  await expect(pulling).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("secret values are taken out of what Ray says", () => {
  const env = { HF_TOKEN: "hf_abcdef", PATH_TO: "/some/where", API_KEY: "k" };
  expect(redactValues("failed with hf_abcdef at /some/where k", env)).toBe(
    "failed with [redacted] at /some/where k",
  );
});
