import { AppError } from "@liverl/contract/app-error";
import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deleteFilter, listFilters, saveFilter } from "#filters/saved-filters.ts";
import { flatRow } from "#rollouts/export/flat-row.ts";
import { streamRollouts } from "#rollouts/export/stream-rollouts.ts";
import { writeParquet } from "#rollouts/export/write-parquet.ts";
import { indexTrials } from "#rollouts/follow-trials.ts";
import { listRollouts } from "#rollouts/list-rollouts.ts";
import { ListRollouts } from "#rollouts/list-rollouts.types.ts";
import { ListValues, listValues } from "#rollouts/list-values.ts";
import { pageQuery } from "#rollouts/select-rollouts.ts";
import { noteRollout, TagRollouts, tagRollouts } from "#rollouts/tag-rollouts.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec, trialChange } from "#testing/factories.ts";

let control: TestControl;
const runId = "filtered";
const changes = Array.from({ length: 24 }, (_, at) => {
  const step = Math.floor(at / 8) + 1;
  const base = { runId, step, group: Math.floor(at / 4) % 2, index: at % 4, cursor: at + 1 };
  const isBroken = at === 5;
  return trialChange({
    ...base,
    reward: isBroken ? null : at % 2,
    status: isBroken ? "failed" : "succeeded",
    termination: at === 7 ? "timeout" : isBroken ? "infra-error" : "agent-finished",
    error: isBroken
      ? { exception_type: "DockerError", exception_message: "gone", occurred_at: "2026-01-01" }
      : null,
    flags: at === 9 ? [{ kind: "tests-edited", evidence: [] }] : [],
    taskName: at < 12 ? "django__50%_a" : "flask-b",
    tokensTotal: 1000 + at,
  });
});
const idOf = (at: number) => changes[at]?.rolloutId ?? "";

beforeAll(async () => {
  control = await buildTestContext();
  await control.ctx.db.run.create({
    data: {
      ...{ id: runId, project: "tests", name: runId, driver: "embedded", status: "running" },
      ...{ spec: launchSpec(), color: 1 },
    },
  });
  await indexTrials(control.ctx, { changes, cursor: 24 });
});
afterAll(() => control.close());

const list = (input: Record<string, unknown> = {}) =>
  listRollouts(control.ctx, ListRollouts.parse({ runId, ...input }));
const places = async (f: string) => {
  const { rollouts, total } = await list({ f });
  expect(total).toBe(rollouts.length);
  return rollouts
    .map(({ rolloutId }) => changes.findIndex((one) => one.rolloutId === rolloutId))
    .sort((a, b) => a - b);
};
const all = changes.map((_, at) => at);

test("the table's own order needs no sort: its pages are read along an index", async () => {
  const { nextCursor } = await list({ limit: 5 });
  const client = await control.ctx.pool.connect();
  try {
    // So few rows are quicker to sort.
    await client.query(
      "SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off",
    );
    for (const cursor of [undefined, nextCursor ?? undefined]) {
      const { text, values } = pageQuery({ runId, cursor, limit: 5 });
      const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN ${text}`, [...values]);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      expect(plan).toMatch(/Index (Only )?Scan using rollout_newest_idx/);
      expect(plan).not.toContain("Sort");
    }
  } finally {
    await client.query("RESET ALL");
    client.release();
  }
});

test.each<[string, (at: number) => boolean]>([
  ["reward < 0.5", (at) => at % 2 === 0],
  ["not reward < 0.5", (at) => at % 2 === 1],
  ["reward = none", (at) => at === 5],
  ["reward != 1", (at) => at % 2 === 0 || at === 5],
  ["reason = timeout or error ~ docker", (at) => at === 7 || at === 5],
  ["error = DockerError", (at) => at === 5],
  ["error != none", (at) => at === 5],
  ["step in 2..3 and reward = 1", (at) => at >= 8 && at % 2 === 1],
  ["step > 1.5 and step < 2.5", (at) => at >= 8 && at < 16],
  ["step = 1.5", () => false],
  ["step < 99999999999", () => true],
  ['task ~ "50%_A"', (at) => at < 12],
  ['task ~ "50_"', () => false],
  ["task !~ flask", (at) => at < 12],
  ["flag = tests-edited", (at) => at === 9],
  ["flag = none", (at) => at !== 9],
  ["flag ~ tests and mode in (train)", (at) => at === 9],
  ["tokens in (1003, 1004.5)", (at) => at === 3],
  ["wall > 1 and truncated = false and status not in (failed)", (at) => at !== 5],
  ['task = "\'; DROP TABLE rollout; --"', () => false],
])("%s", async (f, wanted) => {
  expect(await places(f)).toEqual(all.filter(wanted));
});

test("a fault names its column", async () => {
  const fault = await list({ f: "rewrad = 1" }).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(AppError);
  expect((fault as AppError).userMessage).toBe(
    'Invalid filter at character 1: Unknown field "rewrad". Did you mean reward?',
  );
});

test.each(["-step", "step", "reward", "-reward", "task", "-task", "wall", "-tokens", "error"])(
  "pages by %s are the whole list, once",
  async (sort) => {
    const whole = (await list({ sort })).rollouts.map(({ rolloutId }) => rolloutId);
    expect(new Set(whole).size).toBe(24);
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list({ sort, limit: 5, cursor });
      paged.push(...page.rollouts.map(({ rolloutId }) => rolloutId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(paged).toEqual(whole);
  },
);

test("a cursor goes on in its own order alone, and a made-up one nowhere", async () => {
  const { nextCursor } = await list({ sort: "task", limit: 5 });
  const says = (words: RegExp) => ({
    ...{ code: "BAD_REQUEST", userMessage: expect.stringMatching(words) },
  });
  await expect(list({ sort: "-reward", cursor: nextCursor })).rejects.toMatchObject(
    says(/cursor is of the order task/),
  );
  for (const [sort, key] of [
    ["-step", "django"],
    ["-step", "99999999999"],
    ["reward", "high"],
  ]) {
    const cursor = Buffer.from(JSON.stringify({ sort, place: [key, "g", 0, "id"] }));
    await expect(list({ sort, cursor: cursor.toString("base64url") })).rejects.toMatchObject(
      says(/of no page/),
    );
  }
  await expect(list({ cursor: "nonsense" })).rejects.toMatchObject(says(/of no page/));
});

test("the newest step comes first, and what has no value last", async () => {
  expect((await list()).rollouts.map(({ step }) => step)).toEqual(
    [...all].map((at) => 3 - Math.floor(at / 8)),
  );
  for (const sort of ["reward", "-reward"])
    expect((await list({ sort })).rollouts.at(-1)?.reward).toBeNull();
  expect((await list({ limit: 1 })).rollouts[0]?.advantage).toBeCloseTo(-0.866, 2);
});

test("tags and notes stay when the runner tells of the rollout again", async () => {
  const tag = (input: Record<string, unknown>) =>
    tagRollouts(control.ctx, TagRollouts.parse({ runId, ...input }));
  expect(await tag({ ids: [idOf(1), idOf(2)], add: ["suspect", "look"] })).toEqual({ changed: 2 });
  expect(await tag({ ids: [idOf(1)], add: ["suspect"] })).toEqual({ changed: 0 });
  await expect(tag({ runId: "none", ids: [idOf(1)], add: ["look"] })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
  expect(await tag({ f: "step = 3", add: ["late"] })).toEqual({ changed: 8 });
  await tag({ ids: [idOf(2)], remove: ["look"] });
  await noteRollout(control.ctx, { rolloutId: idOf(1), note: " copied the test " });
  await indexTrials(control.ctx, {
    changes: changes.map((one) => ({ ...one, turns: 9 })),
    cursor: 25,
  });
  expect(await places("tag = suspect and turns = 9")).toEqual([1, 2]);
  expect(await places("tag = look")).toEqual([1]);
  expect(await places("tag ~ LAT and tag != none")).toEqual(all.slice(16));
  expect(await places('note ~ "copied"')).toEqual([1]);
  expect((await list({ f: "tag in (look, nothing)" })).rollouts[0]).toMatchObject({
    tags: ["look", "suspect"],
    note: "copied the test",
  });
  const values = await listValues(
    control.ctx,
    ListValues.parse({ runId, field: "tag", like: "s" }),
  );
  expect(values).toEqual({ values: ["suspect"] });
  expect(await listValues(control.ctx, ListValues.parse({ runId, field: "task" }))).toEqual({
    values: ["django__50%_a", "flask-b"],
  });
  expect(await listValues(control.ctx, ListValues.parse({ runId, field: "error" }))).toEqual({
    values: ["DockerError"],
  });
});

test("of those who tag the same rollouts at once every one is heard", async () => {
  const names = Array.from({ length: 8 }, (_, at) => `at-once-${at}`);
  const ids = all.map(idOf);
  await Promise.all(
    names.map((name) => tagRollouts(control.ctx, { runId, ids, add: [name], remove: [] })),
  );
  const { rollouts } = await list();
  for (const { tags } of rollouts) expect(tags).toEqual(expect.arrayContaining(names));
  await tagRollouts(control.ctx, { runId, ids, add: [], remove: names });
});

test("a tag too many is refused, and then none of them is written", async () => {
  const many = Array.from({ length: 19 }, (_, at) => `many-${at}`);
  await tagRollouts(control.ctx, { runId, ids: [idOf(3)], add: many, remove: [] });
  const both = { runId, ids: [idOf(3), idOf(4)], add: ["last", "too-many"], remove: [] };
  await expect(tagRollouts(control.ctx, both)).rejects.toThrow(/20 tags at most, and 1 would/);
  expect(await places("tag = last")).toEqual([]);
  await tagRollouts(control.ctx, { runId, ids: [idOf(3)], add: [], remove: many });
});

test("a note that was changed meanwhile is not written over", async () => {
  const rolloutId = idOf(6);
  await noteRollout(control.ctx, { rolloutId, note: "mine", seen: "" });
  await expect(noteRollout(control.ctx, { rolloutId, note: "late", seen: "" })).rejects.toThrow(
    /changed meanwhile, to “mine”/,
  );
  await noteRollout(control.ctx, { rolloutId, note: "", seen: "mine" });
  await noteRollout(control.ctx, { rolloutId, note: "whatever it was" });
  expect(await places('note ~ "whatever"')).toEqual([6]);
  await noteRollout(control.ctx, { rolloutId, note: "" });
});

test("Parquet and JSONL say the same", async () => {
  const selection = { runId, f: "step = 2" };
  const lines: Record<string, unknown>[] = [];
  for await (const rows of streamRollouts(control.ctx, selection))
    lines.push(...rows.map((row) => flatRow(row)));
  const pieces: Uint8Array[] = [];
  for await (const piece of writeParquet(streamRollouts(control.ctx, selection)))
    pieces.push(piece);
  const file = Buffer.concat(pieces);
  const rows = await parquetReadObjects({
    file: file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength),
  });
  expect(rows).toHaveLength(8);
  expect(
    rows.map((row) => ({ ...row, flags: JSON.parse(row.flags), tags: JSON.parse(row.tags) })),
  ).toEqual(lines);
});

test("a filter is kept under its name, the newest of that name", async () => {
  const place = { project: "tests", target: "rollouts" as const, name: "odd" };
  await saveFilter(control.ctx, { ...place, filter: "step = 1" });
  await saveFilter(control.ctx, { ...place, filter: "step = 2" });
  expect(await listFilters(control.ctx, place)).toEqual({
    filters: [{ name: "odd", filter: "step = 2" }],
  });
  await deleteFilter(control.ctx, place);
  expect(await listFilters(control.ctx, place)).toEqual({ filters: [] });
});

test("groups of a step stand by their number", async () => {
  const run = "numbered";
  await control.ctx.db.run.create({
    data: {
      ...{ id: run, project: "tests", name: run, driver: "embedded", status: "running" },
      ...{ spec: launchSpec(), color: 1 },
    },
  });
  const numbered = [10, 2, 9].map((group, at) =>
    trialChange({ runId: run, step: 1, group, index: 0, cursor: 100 + at, reward: 1 }),
  );
  await indexTrials(control.ctx, { changes: numbered, cursor: 103 });
  const first = await listRollouts(control.ctx, ListRollouts.parse({ runId: run, limit: 2 }));
  const cursor = first.nextCursor ?? undefined;
  const rest = await listRollouts(control.ctx, ListRollouts.parse({ runId: run, cursor }));
  expect([...first.rollouts, ...rest.rollouts].map(({ groupId }) => groupId)).toEqual(
    [2, 9, 10].map((group) => `${run}.s1.g${group}`),
  );
});
