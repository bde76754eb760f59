import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { apiPath, toQuery } from "@liverl/contract/api";
import { ErrorBody } from "@liverl/contract/app-error";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { listOperations } from "#api/list-operations.ts";
import { launchSpec, trialChange } from "#testing/factories.ts";
import { startRunnerStandIn } from "#testing/runner-stand-in.ts";
import { OPERATOR_TOKEN, startTestApp, type TestApp } from "#testing/start-test-app.ts";
import { until } from "#testing/until.ts";

const bearer = { authorization: `Bearer ${OPERATOR_TOKEN}` };
let app: TestApp;
let runId: string;
let attachedId: string;

const get = (name: string, input: Record<string, unknown> = {}) =>
  fetch(`${app.base}${apiPath(name)}?${toQuery(input)}`, { headers: bearer });
const post = (name: string, input: unknown) =>
  fetch(`${app.base}${apiPath(name)}`, {
    method: "POST",
    headers: { ...bearer, "content-type": "application/json" },
    body: JSON.stringify(input),
  });
const idOf = async (answer: Response) => z.object({ id: z.string() }).parse(await answer.json()).id;

beforeAll(async () => {
  app = await startTestApp();
  const { ctx } = app.control;
  runId = await idOf(
    await post("run.launch", { spec: launchSpec(), idempotencyKey: "api-test-key", force: true }),
  );
  const path = join(ctx.config.dataDir, "metrics.jsonl");
  const lines = [1, 2, 3].map((step) => JSON.stringify({ step, data: { "a/b": step / 2 } }));
  await writeFile(path, `${lines.join("\n")}\n`);
  attachedId = await idOf(await post("run.attach", { project: "tests", name: "followed", path }));
  const change = trialChange({ runId, step: 1, group: 0, index: 0, cursor: 1 });
  const { runId: _, cursor, flags, untrained, versionSpan, routingCoverage, ...row } = change;
  await ctx.db.rollout.create({
    data: {
      ...row,
      ...{ runId, groupId: `${runId}.s1.g0`, index: 0, cursor: BigInt(cursor), error: undefined },
      ...{ timings: row.timings ?? undefined, versionMin: 1, versionMax: 1 },
    },
  });
  const logs = join(ctx.config.dataDir, "runs", runId, "logs");
  await mkdir(logs, { recursive: true });
  await writeFile(join(logs, "trainer-1.log"), "first line\nsecond line\n");
  await until(async () => {
    const keys = await get("metric.keys", { runId: attachedId });
    return (await keys.text()).includes('"a/b"');
  });
});
afterAll(() => app.close());

/** What each read is asked for here; those of sessions need a live proxy and have their own tests. */
const ASKED = (): Record<string, Record<string, unknown>> => ({
  "run.list": { project: "tests", status: ["queued", "running"], look: true, sort: "-reward" },
  "run.get": { id: runId },
  "run.events": { id: runId, limit: 5 },
  "run.findTracked": { source: "mlflow", key: "none" },
  "run.config": { runId, vs: attachedId },
  "browser.list": {},
  "launch.presets": {},
  "launch.suggestName": { project: "tests", base: "small" },
  "launch.specOf": { runId },
  "metric.keys": { runId: attachedId },
  "metric.series": { runId: attachedId, keys: ["a/b"], range: [1, 3] },
  "metric.distribution": { runId, quantity: "reward" },
  "metric.tokens": { runId: attachedId },
  "view.list": { project: "tests", runId },
  "step.get": { runId, step: 1 },
  "step.list": { runId, mode: "train" },
  "rollout.list": { runId, f: "reward >= 0.5" },
  "rollout.values": { runId, field: "task" },
  "run.verdict": { id: runId },
  "task.ofProject": { project: "tests" },
  "run.values": { project: "tests", field: "name", like: "s" },
  "task.ofRun": { runId },
  "task.history": { project: "tests", task: "none" },
  "filter.list": { project: "tests", target: "rollouts" },
  "threshold.list": { project: "tests" },
  "metric.names": { project: "tests" },
  "price.get": { project: "tests" },
  "alert.list": { project: "tests", view: "open" },
  "alert.rules": { project: "tests" },
  "alert.silences": { project: "tests" },
  "alert.receivers": { project: "tests" },
  "group.get": { runId, groupId: `${runId}.s1.g0` },
  "trajectory.get": { rolloutId: `${runId}.s1.g0.r0` },
  "trajectory.open": { rolloutId: `${runId}.s1.g0.r0` },
  "trajectory.terminal": { rolloutId: `${runId}.s1.g0.r0`, from: 0 },
  "replay.list": { rolloutId: `${runId}.s1.g0.r0` },
  "checkpoint.list": { runId },
  "cluster.get": {},
  "sandbox.list": {},
  "log.sources": { runId },
  "log.read": { runId, source: "control", limit: 5 },
  "system.get": {},
  "token.list": {},
});
const ELSEWHERE =
  /^(session\.|run\.planClean$|replay\.(choices|get)$|launch\.specOfFork$|trajectory\.(file|flat|atif|turn|tokens|trained|find|acts)$)/;

test("every read answers in the shape that the document gives", async () => {
  const asked = ASKED();
  const reads = listOperations().filter(({ kind }) => kind === "query");
  expect(
    reads.map(({ name }) => name).filter((name) => !asked[name] && !ELSEWHERE.test(name)),
  ).toEqual([]);
  for (const { name, method, note } of reads) {
    const input = asked[name];
    if (!input) continue;
    const response = await (method === "GET" ? get(name, input) : post(name, input));
    const body = await response.json();
    expect(response.status, `${name}: ${JSON.stringify(body).slice(0, 300)}`).toBe(200);
    const parsed = note?.answer.safeParse(body);
    expect(parsed?.error?.issues ?? [], name).toEqual([]);
  }
});

test("every read of a run that is not there says so", async () => {
  const methods = new Map(listOperations().map(({ name, method }) => [name, method]));
  const ofRun = Object.entries(ASKED()).flatMap(([name, input]) => {
    const key = ["runId", "id"].find((one) => input[one] === runId || input[one] === attachedId);
    return key === undefined || name === "view.list"
      ? []
      : [{ name, input: { ...input, [key]: "none" } }];
  });
  expect(ofRun.length).toBeGreaterThan(10);
  for (const { name, input } of ofRun) {
    const answer = await (methods.get(name) === "GET" ? get(name, input) : post(name, input));
    expect([name, answer.status, await answer.json()]).toEqual([
      ...[name, 404],
      { error: { code: "NOT_FOUND", message: "There is no run none." } },
    ]);
  }
});

test("a read gives what the pages get", async () => {
  const series = await (
    await get("metric.series", { runId: attachedId, keys: ["a/b"], range: [2, 3] })
  ).json();
  expect(series).toMatchObject({ series: [{ key: "a/b", step: [2, 3], value: [1, 1.5] }] });
  const rollouts = await get("rollout.list", { runId, f: "reward <= 0.5" });
  expect(await rollouts.json()).toEqual({
    ...{ rollouts: [], nextCursor: null },
    ...{ total: 0, hasMoreThanTotal: false },
  });
});

test.each([
  ["run.get", { id: "none" }, 404, "NOT_FOUND", /^There is no run none\.$/],
  ["run.get", {}, 400, "BAD_REQUEST", /^id: Invalid input: expected string/],
  ["run.list", { statsu: "failed" }, 400, "BAD_REQUEST", /^There is no statsu here\. It takes/],
  ["run.list", { sort: "-tag" }, 400, "BAD_REQUEST", /^sort: a field to sort by/],
  ["run.list", { status: ["lost"] }, 400, "BAD_REQUEST", /^status\[0\]: Invalid option/],
  ["run.events", { id: "x", limit: "many" }, 400, "BAD_REQUEST", /^limit: Invalid input/],
  ["run.get", { id: "a\0b" }, 400, "BAD_REQUEST", /can not be stored/],
] as const)("%s with %j is refused in words", async (name, input, status, code, message) => {
  const response = await get(name, input);
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({
    error: { code, message: expect.stringMatching(message) },
  });
});

test("an act is refused in words, too", async () => {
  const codeOf = async (answer: Promise<Response>) =>
    ErrorBody.parse(await (await answer).json()).error.code;
  expect(await codeOf(post("run.checkpoint", { id: attachedId }))).toBe("CONFLICT");
  expect(await codeOf(post("run.stop", { id: runId, wen: "now" }))).toBe("BAD_REQUEST");
  expect(await codeOf(post("run.stop", [runId]))).toBe("BAD_REQUEST");
  expect(await codeOf(get("run.stop", { id: runId, when: "now" }))).toBe("NOT_FOUND");
  expect(await codeOf(post("run.get", { id: runId }))).toBe("NOT_FOUND");
});

test("an act is done", async () => {
  const stopped = await post("run.stop", { id: attachedId, when: "now" });
  expect([stopped.status, await stopped.json()]).toEqual([200, {}]);
  const run = await get("run.get", { id: attachedId });
  expect(await run.json()).toMatchObject({ status: "stopped" });
});

test("what no column holds is refused before the database is asked, with words that say what to do", async () => {
  const asked = async (path: string) => {
    const answer = await fetch(`${app.base}/api/v1/${path}`, { headers: bearer });
    return [answer.status, ErrorBody.parse(await answer.json()).error.message];
  };
  const zero = "has a zero byte or half a character, which can not be stored.";
  expect(await asked("run/get?id=a%00b")).toEqual([400, `id ${zero}`]);
  expect(await asked("runs/a%00b/rollouts.jsonl")).toEqual([400, `id ${zero}`]);
  expect(await asked(`runs/${runId}/rollouts.jsonl?ids=a%00`)).toEqual([400, `ids ${zero}`]);
  expect(await asked("runs/a%00b/archive.tar.gz")).toEqual([400, `id ${zero}`]);
  const large = "Too big: expected number to be <=2147483647";
  expect(await asked(`step/get?runId=${runId}&step=2147483648`)).toEqual([400, `step: ${large}`]);
  expect(await asked(`runs/${runId}/checkpoints/2147483648.tar`)).toEqual([400, `step: ${large}`]);
});

/** The first frames of a stream, as text. */
async function hear(answer: Response, enough: (text: string) => boolean): Promise<string> {
  let text = "";
  for await (const bytes of answer.body ?? []) {
    text += Buffer.from(bytes).toString();
    if (enough(text)) break;
  }
  return text;
}

test("a stream sends frames with ids, and goes on after one", async () => {
  const first = await get("run.live", { id: runId });
  expect(first.headers.get("content-type")).toBe("text/event-stream");
  const text = await hear(first, (heard) => heard.includes('"kind":"run"'));
  expect(text).toMatch(/^: here\n\nid: \d+\ndata: \{"kind":"run","run":\{"id":"[^\n]+\n\n$/);
  const again = await fetch(`${app.base}${apiPath("run.live")}?id=${runId}`, {
    headers: { ...bearer, "last-event-id": "0" },
  });
  const replayed = await hear(again, (heard) => heard.includes('"kind":"launch"'));
  expect(replayed).toContain('"kind":"event"');
});

test("a stream that can not begin says why", async () => {
  const answer = await get("log.tail", { runId: "none", source: "trainer", after: 0 });
  const text = await hear(answer, (heard) => heard.includes("event: error"));
  expect(text).toContain('data: {"error":{"code":"NOT_FOUND","message":"There is no run none."}}');
});

test("the document is served, and to nobody without a token", async () => {
  const answer = await fetch(`${app.base}/api/v1/openapi.json`, { headers: bearer });
  expect(await answer.json()).toMatchObject({ openapi: "3.1.0" });
  expect((await fetch(`${app.base}/api/v1/openapi.json`)).status).toBe(401);
});

test("sessions of outside agents are read through the same runner", async () => {
  const runner = await startRunnerStandIn(
    app.control.ctx.config.dataDir,
    new Map([["/api/v1/sessions", { sessions: [] }]]),
  );
  expect(await (await get("session.list", { project: "tests" })).json()).toEqual({ sessions: [] });
  const missing = await get("session.get", { sessionId: "nobody" });
  expect(missing.status).toBe(404);
  await runner.close();
});
