import { randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertRun } from "#runs/insert-run.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";
import { launchSpec, trialChange } from "#testing/factories.ts";
import { forge, HEAD, ROLLOUT, ROW, row } from "#testing/forge-archive.ts";
import { OPERATOR_TOKEN, startTestApp, type TestApp } from "#testing/start-test-app.ts";

const bearer = { authorization: `Bearer ${OPERATOR_TOKEN}` };
const RUN = "kept-01";
const SHA256 = "0123456789abcdef".repeat(4);
let here: TestApp;
let there: TestApp;

beforeAll(async () => {
  [here, there] = await Promise.all([startTestApp(), startTestApp()]);
  const { ctx } = here.control;
  await insertRun(ctx, {
    ...{ project: "tests", name: "kept", status: "succeeded", driver: "embedded" },
    ...{ spec: launchSpec(), tags: ["good"], startedAt: new Date(), endedAt: new Date() },
  });
  await recordRunEvent(ctx, RUN, { kind: "launch", actor: "test", message: "launched" });
  await ctx.ingest.append(
    RUN,
    Array.from({ length: 700 }, (_, i) => ({
      ...{ step: i + 1, wallMs: i, values: { "a/b": i / 3, odd: i % 2 ? Number.NaN : 1 } },
    })),
  );
  await ctx.ingest.settle();
  await ctx.db.checkpoint.create({
    data: {
      ...{ runId: RUN, step: 4, path: "/elsewhere/global_step_4", writtenAt: new Date() },
      ...{ seconds: 1, sizeBytes: 5, stateSha256: SHA256, weightsSha256: SHA256 },
    },
  });
  const directory = `harbor_trials/tests/${RUN}/step_1/${RUN}.s1.g0.r0-a1`;
  const change = trialChange({ runId: RUN, step: 1, group: 0, index: 0, cursor: 77 });
  const { runId, cursor, flags, untrained, versionSpan, routingCoverage, error, timings, ...row } =
    change;
  await ctx.db.rollout.create({
    data: {
      ...row,
      ...{ runId: RUN, groupId: `${RUN}.s1.g0`, index: 0, directory, cursor: BigInt(cursor) },
      ...{ timings: timings ?? undefined, versionMin: 1, versionMax: 1 },
    },
  });
  const { dataDir } = ctx.config;
  await put(join(dataDir, directory, "agent", "ü file.txt"), "of the trial");
  await put(join(dataDir, "runs", RUN, "logs", "trainer.log"), "a line\n");
  await put(join(dataDir, "runs", RUN, "engine.key"), "a secret");
  await put(join(dataDir, "runs", RUN, "checkpoints", "global_step_4", "w"), "12345");
  // What an agent left may lead anywhere.
  await symlink("/etc/passwd", join(dataDir, directory, "agent", "link"));
});
afterAll(async () => {
  await Promise.all([here?.close(), there?.close()]);
});

async function put(path: string, content: string): Promise<void> {
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, content);
}

const fetchArchive = (query = "") =>
  fetch(`${here.base}/api/v1/runs/${RUN}/archive.tar.gz${query}`, { headers: bearer });
async function bringIn(app: TestApp, archive: Uint8Array): Promise<[number, string]> {
  const headers = { ...bearer, "content-type": "application/gzip" };
  const answer = await fetch(`${app.base}/api/v1/runs/import`, {
    ...{ method: "POST", headers, body: archive },
  });
  return [answer.status, await answer.text()];
}

const rowsOf = async (app: TestApp) => {
  const { pool } = app.control.ctx;
  const all = async (sql: string) => (await pool.query(sql)).rows;
  return {
    run: await all("SELECT to_jsonb(r) - 'released' - 'imported_at' AS row FROM run r"),
    events: await all(
      "SELECT kind, actor, message, at FROM run_event WHERE kind <> 'attach' ORDER BY at",
    ),
    rollouts: await all("SELECT to_jsonb(r) - 'cursor' AS row FROM rollout r"),
    series: await all("SELECT key, points, last_step, last FROM series ORDER BY key"),
    points: await all(
      "SELECT s.key, c.slot, c.steps, c.values::text, c.flags FROM chunk c JOIN series s ON s.id = c.series_id ORDER BY s.key, c.slot",
    ),
    rollups: await all(
      "SELECT s.key, u.level, u.slot, u.mins::text, u.ns FROM rollup u JOIN series s ON s.id = u.series_id ORDER BY s.key, u.level, u.slot",
    ),
  };
};

test("a run comes back as it was: rows, points, files, and its pages", async () => {
  const archive = new Uint8Array(await (await fetchArchive("?checkpoints=true")).arrayBuffer());
  expect(await bringIn(there, archive)).toEqual([200, `{"id":"${RUN}","project":"tests"}`]);
  const before = await rowsOf(here);
  expect(before.points.length).toBeGreaterThan(4);
  expect(await rowsOf(there)).toEqual(before);
  const { importedAt } = await there.control.ctx.db.run.findUniqueOrThrow({ where: { id: RUN } });
  expect(importedAt?.getTime()).toBeGreaterThan(Date.now() - 600_000);
  const { dataDir } = there.control.ctx.config;
  const folder = join(dataDir, "harbor_trials/tests", RUN, `step_1/${RUN}.s1.g0.r0-a1/agent`);
  expect(await readdir(folder)).toEqual(["ü file.txt"]);
  expect(await readFile(join(folder, "ü file.txt"), "utf8")).toBe("of the trial");
  expect((await readdir(join(dataDir, "runs", RUN))).sort()).toEqual(["checkpoints", "logs"]);
  expect(await readdir(join(dataDir, "imports"))).toEqual([]);
  const get = async (path: string) =>
    (await fetch(`${there.base}/api/v1/${path}`, { headers: bearer })).json();
  expect(await get(`checkpoint/list?runId=${RUN}`)).toMatchObject({
    checkpoints: [{ step: 4, path: join(dataDir, "runs", RUN, "checkpoints/global_step_4") }],
  });
  const series = "a/b";
  const asked = `metric/series?runId=${RUN}&keys=${series}&range=699&range=700`;
  expect(await get(asked)).toMatchObject({ series: [{ step: [699, 700] }] });
  expect(await get(`run/get?id=${RUN}`)).toMatchObject({ status: "succeeded", tags: ["good"] });
});

test("what is there already is not written over", async () => {
  const archive = new Uint8Array(await (await fetchArchive()).arrayBuffer());
  expect(await bringIn(here, archive)).toEqual([409, expect.stringContaining("here already")]);
});

test("a run that goes on is not archived; one without checkpoints leaves them out", async () => {
  const { ctx } = here.control;
  const { id } = await insertRun(ctx, {
    ...{ project: "tests", name: "going", status: "running", driver: "embedded", tags: [] },
  });
  const refused = await fetch(`${here.base}/api/v1/runs/${id}/archive.tar.gz`, { headers: bearer });
  expect(refused.status).toBe(409);
  const none = await fetch(`${here.base}/api/v1/runs/none/archive.tar.gz`, { headers: bearer });
  expect(none.status).toBe(404);
  await ctx.db.run.delete({ where: { id } });
});

test.each([
  ["a way out", [{ name: "trials/../../../liverl-escaped", text: "x" }]],
  ["an absolute path", [{ name: "/tmp/liverl-escaped", text: "x" }]],
  ["a path that is another's room", [{ name: "processes/control.json", text: "x" }]],
  ["a symlink", [{ name: "trials/a", type: "symlink", linkname: "/etc" }]],
  ["a hard link", [{ name: "trials/a", type: "link", linkname: "archive.json" }]],
  ["a pipe", [{ name: "trials/a", type: "fifo" }]],
  [
    "a name twice",
    [
      { name: "trials/a", text: "1" },
      { name: "trials/a", text: "2" },
    ],
  ],
  [
    "a file below a file",
    [
      { name: "trials/a", text: "1" },
      { name: "trials/a/b", text: "2" },
    ],
  ],
  [
    "another run's event",
    [row("run_event", { run_id: "other", kind: "x", actor: "a", message: "m" })],
  ],
  ["a trial elsewhere", [row("rollout", { ...ROLLOUT, directory: "../../etc" })]],
  [
    "a trial of another run",
    [row("rollout", { ...ROLLOUT, directory: `harbor_trials/tests/${RUN}/x` })],
  ],
  ["points of no series", [row("chunk", { series_id: 1, slot: 0, steps: [1] })]],
  ["a line that is none", [{ name: "rows/rollout/000001.jsonl", text: "[1]\n" }]],
  ["a row that the table does not take", [row("checkpoint", { run_id: "evil-01", step: 1 })]],
] as [string, Parameters<typeof forge>[0]][])(
  "%s is refused, and nothing is left of it",
  async (_, entries) => {
    const [status, answer] = await bringIn(there, await forge(entries));
    expect(status, answer).toBe(400);
    await nothingLeft();
  },
);

test.each([
  ["a run id that leads out", { ...HEAD, runId: "../x" }],
  ["a project that leads out", { ...HEAD, project: "a/../../b" }],
  ["another format", { ...HEAD, format: "liverl-archive/2" }],
  ["another run than its row", { ...HEAD, runId: "other-01" }],
])("%s is refused", async (_, head) => {
  expect((await bringIn(there, await forge([], head)))[0]).toBe(400);
  await nothingLeft();
});

test.each([
  ["a driver that there is not", { driver: "evil" }],
  ["a run that goes on", { status: "running" }],
  ["a spec that is none", { spec: [1] }],
  ["a name that is a page", { name: "<b>".repeat(2_000) }],
  ["a tag of thousands of letters", { tags: ["a".repeat(3_000)] }],
  ["a time to come", { created_at: "9999-01-01T00:00:00Z" }],
  [
    "an end before its start",
    { started_at: "2026-01-02T00:00:00Z", ended_at: "2026-01-01T00:00:00Z" },
  ],
  ["fewer crashes than none", { crashes: -1 }],
  ["no colour of ours", { color: 99 }],
])("a run's row with %s is refused, and lists are read as before", async (_, changed) => {
  const [status, answer] = await bringIn(there, await forge([], HEAD, { ...ROW, ...changed }));
  expect(status, answer).toBe(400);
  expect(answer).toContain(Object.keys(changed).at(-1));
  await nothingLeft();
});

test.each([
  ["a tag that is a page", { tags: ["<img src=x>"] }, "tags.0"],
  ["more tags than a rollout has", { tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, "tags"],
  ["a note of a book", { note: "a".repeat(4_001) }, "note"],
])("a rollout with %s is refused", async (_, said, where) => {
  const rollout = row("rollout", { ...ROLLOUT, ...said });
  expect(await bringIn(there, await forge([rollout]))).toEqual([
    400,
    expect.stringContaining(`row 1 of rollout does not fit: ${where}`),
  ]);
  await nothingLeft();
});

test("what is refused while it is still sent is refused in words", async () => {
  const bad = await forge([
    { name: "../x", text: "" },
    { name: "trials/a", text: randomBytes(300_000).toString("hex") },
  ]);
  const request = httpRequest(`${there.base}/api/v1/runs/import`, {
    ...{ method: "POST", headers: { ...bearer, "content-type": "application/gzip" } },
  });
  const answered = new Promise<[number, string]>((resolve, reject) => {
    request.on("error", reject);
    request.on("response", (response) => {
      text(response).then((body) => resolve([response.statusCode ?? 0, body]), reject);
    });
  });
  // As a browser does: it listens once all is sent.
  request.write(bad);
  await sleep(500);
  for (let i = 0; i < 40; i++)
    await new Promise<void>((sent, reject) =>
      request.write(Buffer.alloc(1_000_000), (error) => (error ? reject(error) : sent())),
    );
  request.end();
  const [status, answer] = await answered;
  expect([status, answer]).toEqual([400, expect.stringContaining("leads out of it")]);
  await nothingLeft();
});

test("what is cut off, or no archive, is refused", async () => {
  const whole = await forge([{ name: "trials/a", text: "x".repeat(100_000) }]);
  for (const bytes of [
    whole.subarray(0, whole.length - 40),
    new Uint8Array(),
    Buffer.from("hello"),
  ])
    expect((await bringIn(there, bytes))[0]).toBe(400);
  await nothingLeft();
});

async function nothingLeft(): Promise<void> {
  const { db, config } = there.control.ctx;
  expect(await db.run.count({ where: { id: { not: RUN } } })).toBe(0);
  expect(await readdir(join(config.dataDir, "imports"))).toEqual([]);
  for (const path of ["runs/evil-01", "harbor_trials/tests/evil-01", "../liverl-escaped"])
    await expect(lstat(join(config.dataDir, path))).rejects.toThrow();
}
