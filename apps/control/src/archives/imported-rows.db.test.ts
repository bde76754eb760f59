import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TABLES } from "#archives/archive-format.ts";
import { ROWS } from "#archives/rows/fit-row.ts";
import { launchSpec } from "#testing/factories.ts";
import { forge, HEAD, ROLLOUT, ROW, row } from "#testing/forge-archive.ts";
import { OPERATOR_TOKEN, startTestApp, type TestApp } from "#testing/start-test-app.ts";

const bearer = { authorization: `Bearer ${OPERATOR_TOKEN}` };
const AT = "2026-01-01T00:00:00Z";
const RUN = { run_id: "evil-01" };
const SHA256 = "0123456789abcdef".repeat(4);
const EVENT = { id: 1, ...RUN, kind: "launch", at: AT, actor: "a", message: "m" };
const PHASE = { ...RUN, attempt: 0, phase: "model", state: "done", started_at: AT };
const CHECKPOINT = {
  ...{ ...RUN, step: 1, path: "/x", written_at: AT, seconds: 1, size_bytes: 1 },
  ...{ state_sha256: SHA256, weights_sha256: SHA256 },
};
const SERIES = { id: 7, ...RUN, key: "a/b", points: 2, last_step: 2, last: 1, last_wall: 5 };
const CHUNK = {
  ...{ series_id: 7, slot: 0, steps: [1, 2], values: [0, 1], flags: [1, 0], wall_ms: [4, 5] },
};
const ROLLUP = {
  ...{ series_id: 7, level: 4, slot: 0, steps: [2], lasts: [1], mins: [null], maxs: [1], ns: [2] },
  ...{ flags: [1], wall_ms: [5] },
};
const SAMPLING = { temperature: 1, top_p: 1, max_tokens: 5, stop_token_ids: [0] };
const REPLAY_ID = "0123456789abcdef";
const ORIGINAL = {
  ...{ tokenIds: [5, 6], logprobs: [-1, -2], versions: [1, null], stopReason: "stop" },
  sampling: SAMPLING,
};
const ENGINE = { kind: "engine", url: "http://me:word@10.0.0.5:8000/x", api: "vllm" };
const REPLAY = {
  ...{ id: REPLAY_ID, ...RUN, rollout_id: ROLLOUT.rollout_id, segment_id: 0, node_id: 3, turn: 1 },
  ...{ trains: true, weights: ENGINE, prompt_tokens: 9, prompt_sha256: SHA256 },
  ...{ sampling: SAMPLING, n: 2, original: ORIGINAL, scores: [-1, null], status: "done" },
  ...{ actor: "a", created_at: AT, ended_at: AT },
};
const SAMPLE = {
  ...{ replay_id: REPLAY_ID, index: 0, request_ids: [`replay.${REPLAY_ID}-0-0`], token_ids: [5] },
  ...{ logprobs: [-1], versions: [null], stop_reason: "stop", at: AT },
};
const ALERT = {
  ...{ id: 3, project: "tests", rule_id: "of-elsewhere", rule_name: "r", ...RUN, level: "bad" },
  ...{ title: "t", detail: "d", fired_at: AT },
};
const GOOD = {
  ...{ run_event: [EVENT], boot_phase: [PHASE], checkpoint: [CHECKPOINT], rollout: [ROLLOUT] },
  ...{ series: [SERIES], chunk: [CHUNK], rollup: [ROLLUP], replay: [REPLAY] },
  ...{ replay_sample: [SAMPLE], alert: [ALERT] },
};

let there: TestApp;
beforeAll(async () => {
  there = await startTestApp();
  await there.control.ctx.db.run.create({
    data: {
      ...{ id: "other-01", project: "tests", name: "other", status: "failed", driver: "embedded" },
      ...{ color: 1, tags: [] },
    },
  });
});
afterAll(() => there.close());

async function bringIn(
  changed: Partial<Record<keyof typeof GOOD, unknown[]>>,
  run: object = ROW,
): Promise<[number, string]> {
  const entries = Object.entries({ ...GOOD, ...changed }).map(([table, rows]) =>
    row(table, ...rows),
  );
  const answer = await fetch(`${there.base}/api/v1/runs/import`, {
    ...{ method: "POST", headers: { ...bearer, "content-type": "application/gzip" } },
    body: await forge(entries, HEAD, run),
  });
  return [answer.status, await answer.text()];
}
const get = async (path: string) => {
  const answer = await fetch(`${there.base}/api/v1/${path}`, { headers: bearer });
  return [answer.status, await answer.json()] as const;
};

type Wrong = [keyof typeof GOOD, object, string];
const wrong = (table: keyof typeof GOOD, change: object, where: string): Wrong => [
  ...([table, change, where] as const),
];
test.each<Wrong>([
  wrong("run_event", { kind: "made-up" }, "kind"),
  wrong("run_event", { at: "infinity" }, "at"),
  wrong("run_event", { at: "9999-12-31T00:00:00Z" }, "at"),
  wrong("run_event", { step: -1 }, "step"),
  wrong("run_event", { message: "x".repeat(1_000_000) }, "message"),
  wrong("run_event", { message: "a\0b" }, "message"),
  wrong("run_event", { run_id: "other-01" }, "another run"),
  wrong("boot_phase", { state: "made-up" }, "state"),
  wrong("boot_phase", { phase: "zzz" }, "phase"),
  wrong("checkpoint", { step: -5 }, "step"),
  wrong("checkpoint", { size_bytes: -1e300 }, "size_bytes"),
  wrong("checkpoint", { state_sha256: "" }, "state_sha256"),
  wrong("rollout", { status: "made-up" }, "status"),
  wrong("rollout", { termination: "made-up" }, "termination"),
  wrong("rollout", { mode: "made-up" }, "mode"),
  wrong("rollout", { error: { x: 1 } }, "error.exception_type"),
  wrong("rollout", { timings: { queueS: "x" } }, "timings.queueS"),
  wrong("rollout", { untrained: { reasons: { subagent: 0.5 }, lossy: 0 } }, "untrained.reasons"),
  wrong("rollout", { untrained: { reasons: {}, lossy: 2 ** 31 } }, "untrained.lossy"),
  wrong("rollout", { integrity_kinds: ["made-up"] }, "integrity_kinds.0"),
  wrong("rollout", { started_at: "infinity" }, "started_at"),
  wrong("rollout", { reward: "NaN" }, "reward"),
  wrong("rollout", { task_name: "n".repeat(1_000_000) }, "task_name"),
  wrong("rollout", { index: 1.5 }, "index"),
  wrong("rollout", { tokens_total: 2 ** 40 }, "tokens_total"),
  wrong("rollout", { rollout_id: "other-01.s1.g0.r0" }, "session_id"),
  wrong(
    "rollout",
    { rollout_id: "other-01.s1.g0.r0", session_id: "other-01.s1.g0.r0-a1" },
    "rollout_id: other-01.s1.g0.r0 is not of evil-01",
  ),
  wrong("rollout", { group_id: "other-01.s1.g0" }, "group_id"),
  wrong("series", { key: "a".repeat(301) }, "key"),
  wrong("series", { last_step: 2 ** 31 }, "last_step"),
  wrong("series", { last_wall: 1e300 }, "last_wall"),
  wrong("chunk", { values: [1] }, "values has 1 values, and steps 2"),
  wrong("chunk", { steps: [2, 1] }, "ascend"),
  wrong("chunk", { slot: 3 }, "slot 3"),
  wrong("chunk", { flags: [0, 9] }, "flags.1"),
  wrong("chunk", { wall_ms: [0, 1e300] }, "wall_ms.1"),
  wrong("chunk", { values: [0, "NaN"] }, "its flag says that it is"),
  wrong("chunk", { series_id: 8 }, "series"),
  wrong("rollup", { ns: [] }, "ns has 0 values"),
  wrong("rollup", { level: 5 }, "level"),
  wrong("replay", { status: "sampling" }, "status"),
  wrong("replay", { rollout_id: "evil-01.s1.g0.r9" }, "no rollout of the run"),
  wrong("replay", { run_id: "other-01" }, "another run"),
  wrong("replay", { weights: { kind: "made-up" } }, "weights"),
  wrong("replay", { original: { ...ORIGINAL, logprobs: [] } }, "original: logprobs has 0 values"),
  wrong("replay", { scores: [1] }, "scores"),
  wrong("replay", { sampling: {} }, "sampling.temperature"),
  wrong("replay_sample", { replay_id: "0".repeat(16) }, "replay"),
  wrong("replay_sample", { index: 2 }, "index"),
  wrong("replay_sample", { token_ids: [] }, "logprobs has 1 values"),
  wrong("alert", { level: "made-up" }, "level"),
  wrong("alert", { project: "other" }, "another project"),
])("a made-up row is refused by table, row and column: %s %j", async (table, change, where) => {
  const [good] = GOOD[table];
  const [status, answer] = await bringIn({ [table]: [{ ...good, ...change }] });
  expect(status, answer).toBe(400);
  expect(answer).toContain(`row 1 of ${table} does not fit: `);
  expect(answer).toContain(where);
  await nothingLeft();
});

test("the row that does not fit is named by its number", async () => {
  const [, answer] = await bringIn({ run_event: [EVENT, EVENT, { ...EVENT, kind: "x" }] });
  expect(answer).toContain("row 3 of run_event does not fit: kind");
  await nothingLeft();
});

test.each([
  [{ spec: { driver: "embedded", zzz: 1 } }, "spec"],
  [{ spec: launchSpec(), driver: "ray-job" }, "spec"],
  [{ base: { kind: "x" } }, "base"],
  [{ config: [1, 2] }, "config"],
])("a run's row with %j is refused", async (change, where) => {
  const [status, answer] = await bringIn({}, { ...ROW, ...change });
  expect(status, answer).toBe(400);
  expect(answer).toContain(`row 1 of run does not fit: ${where}`);
  await nothingLeft();
});

test("a series that is not what its points say is refused", async () => {
  const [status, answer] = await bringIn({
    series: [{ ...SERIES, points: 5, last_step: 2_147_483_647 }],
  });
  expect([status, answer]).toEqual([400, expect.stringContaining("series a/b has other points")]);
  await nothingLeft();
});

test("a rollout of a trainer of verl may have an id of its own, and not another run's", async () => {
  const verl = { ...ROW, driver: "ray-job" };
  const named = (id: string) => ({
    ...{ replay: [], replay_sample: [] },
    rollout: [{ ...ROLLOUT, rollout_id: id, session_id: `${id}-a1`, group_id: "5a3f" }],
  });
  const [status, answer] = await bringIn(named("other-01.s1.g0.r0"), verl);
  expect(status, answer).toBe(400);
  expect(answer).toContain(
    "row 1 of rollout does not fit: other-01.s1.g0.r0 is a rollout of other",
  );
  await nothingLeft();
  expect(await bringIn(named("5a3f.s1.r0"), verl)).toEqual([200, expect.any(String)]);
  await there.control.ctx.db.run.delete({ where: { id: "evil-01" } });
  await there.control.ctx.db.rollout.deleteMany();
  await there.control.ctx.pool.query("TRUNCATE series, chunk, rollup");
});

test("nested deeper than any program reads is refused", async () => {
  const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  const text = `${JSON.stringify({ ...EVENT, message: "m" }).slice(0, -1)},"x":${deep}}\n`;
  const answer = await fetch(`${there.base}/api/v1/runs/import`, {
    ...{ method: "POST", headers: { ...bearer, "content-type": "application/gzip" } },
    body: await forge([{ name: "rows/run_event/000001.jsonl", text }]),
  });
  expect(answer.status).toBe(400);
  await nothingLeft();
});

test("what fits comes in: nothing trains, no word that opens an engine, and every page is there", async () => {
  expect(await bringIn({}, { ...ROW, spec: { ...launchSpec() } })).toEqual([
    200,
    expect.any(String),
  ]);
  const { db } = there.control.ctx;
  const replay = await db.replay.findUniqueOrThrow({ where: { id: REPLAY_ID } });
  expect(replay).toMatchObject({
    ...{ trains: false, status: "done" },
    weights: { kind: "engine", url: "http://10.0.0.5:8000" },
  });
  const alert = await db.alert.findFirstOrThrow();
  expect(alert).toMatchObject({ ruleId: null, resolvedAt: new Date(AT) });
  for (const path of [
    ...["run/list", "run/get?id=evil-01", "run/events?id=evil-01", "run/config?runId=evil-01"],
    ...["rollout/list?runId=evil-01", "step/list?runId=evil-01", "launch/spec-of?runId=evil-01"],
    ...["checkpoint/list?runId=evil-01", "metric/keys?runId=evil-01"],
    ...[`replay/get?id=${REPLAY_ID}`, `replay/list?rolloutId=${ROLLOUT.rollout_id}`],
    "alert/list?project=tests&view=history",
  ]) {
    const [status, body] = await get(path);
    expect(status, `${path} ${JSON.stringify(body)}`).toBe(200);
  }
});

/** A column that a later version adds must be named there, or left behind on purpose. */
test("every column of the archive's tables is known", async () => {
  const LEFT: Record<string, string[]> = {
    run: ["stop_mode", "released", "resume_from", "imported_at", "begun_by"],
    run_event: ["id"],
    checkpoint: ["path"],
    rollout: ["cursor"],
    series: ["back_steps", "back_proof"],
    chunk: ["seqs", "max_seq"],
    alert: ["id", "rule_id"],
  };
  for (const table of TABLES) {
    const { rows } = await there.control.ctx.pool.query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name = $1`,
      [table],
    );
    const known = [...Object.keys(ROWS[table].shape), ...(LEFT[table] ?? [])];
    expect([table, rows.map(({ name }) => name).sort()]).toEqual([table, known.sort()]);
  }
});

async function nothingLeft(): Promise<void> {
  const { db, config } = there.control.ctx;
  expect(await db.run.count({ where: { id: "evil-01" } })).toBe(0);
  expect(await db.rollout.count()).toBe(0);
  expect(await readdir(join(config.dataDir, "imports"))).toEqual([]);
}
