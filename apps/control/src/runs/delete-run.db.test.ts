import {
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { TABLES } from "#archives/archive-format.ts";
import { clearDeleted } from "#runs/clear-deleted.ts";
import { deleteRun } from "#runs/delete-run.ts";
import { insertRun } from "#runs/insert-run.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec, trialChange } from "#testing/factories.ts";
import { startRunnerStandIn } from "#testing/runner-stand-in.ts";

const SHA256 = "0123456789abcdef".repeat(4);
const ALL_TABLES = [...TABLES, "update_file", "launch_key", "ingest_source", "ingest_batch"];
let control: TestControl;
let runner: Awaited<ReturnType<typeof startRunnerStandIn>>;
let dataDir: string;
beforeAll(async () => {
  control = await buildTestContext();
  dataDir = control.ctx.config.dataDir;
  const paths = ["doomed-01", "doomed-02", "doomed-03"].map((id) => `/api/v1/runs/${id}`);
  runner = await startRunnerStandIn(dataDir, new Map(paths.map((path) => [path, {}])));
});
afterAll(async () => {
  await runner.close();
  await control.close();
});
beforeEach(async () => {
  await control.ctx.pool.query("TRUNCATE run CASCADE");
  await control.ctx.pool.query(
    "TRUNCATE rollout, taken_rollout, update_file, series, chunk, rollup, launch_key, ingest_source, ingest_batch",
  );
  for (const name of ["runs", "harbor_trials", "deleted"])
    await rm(join(dataDir, name), { recursive: true, force: true });
});

/** With a row in every table of a run, and files. */
async function add(name: string, status = "failed"): Promise<string> {
  const { ctx } = control;
  const { id } = await insertRun(ctx, {
    ...{ project: "tests", name, status, driver: "embedded", spec: launchSpec(), tags: [] },
  });
  await recordRunEvent(ctx, id, { kind: "launch", actor: "test", message: "launched" });
  const steps = Array.from({ length: 5000 }, (_, step) => ({
    step,
    wallMs: step,
    values: { a: step },
  }));
  await ctx.ingest.append(id, steps);
  await ctx.ingest.settle();
  const at = new Date();
  await ctx.db.bootPhase.create({
    data: { runId: id, attempt: 0, phase: "model", state: "done", startedAt: at },
  });
  await ctx.db.checkpoint.create({
    data: {
      ...{ runId: id, step: 4, path: "/x", writtenAt: at, seconds: 1, sizeBytes: 5 },
      ...{ stateSha256: SHA256, weightsSha256: SHA256 },
    },
  });
  const change = trialChange({ runId: id, step: 1, group: 0, index: 0, cursor: 1 });
  const { runId, cursor, flags, untrained, versionSpan, routingCoverage, error, timings, ...row } =
    change;
  const groupId = `${id}.s1.g0`;
  await ctx.db.rollout.create({
    data: { ...row, runId: id, groupId, index: 0, cursor: 1n, timings: timings ?? {} },
  });
  await ctx.db.takenRollout.create({
    data: { rolloutId: row.rolloutId, runId: id, attempt: 0, step: 1, update: 1, version: 0 },
  });
  await ctx.db.updateFile.create({
    data: { runId: id, attempt: 0, position: 1n, generation: 0, tail: "" },
  });
  await ctx.db.replay.create({
    data: {
      ...{ id: `of ${id}`, runId: id, rolloutId: row.rolloutId, segmentId: 0, nodeId: 0, turn: 1 },
      ...{ weights: { kind: "live", runId: id }, promptTokens: 1, promptSha256: SHA256, n: 1 },
      ...{ sampling: {}, original: {}, status: "done", actor: "test", endedAt: at },
      samples: { create: { index: 0, versions: [], stopReason: "stop" } },
    },
  });
  await ctx.db.alert.create({
    data: { project: "tests", ruleName: "r", runId: id, level: "bad", title: "t", detail: "d" },
  });
  await ctx.db.launchKey.create({ data: { key: `of ${id}`, specSha256: SHA256, runId: id } });
  await ctx.db.ingestSource.create({ data: { runId: id, path: "/x", active: false } });
  await ctx.db.ingestBatch.create({ data: { runId: id, batch: "b" } });
  for (const path of [`runs/${id}/logs/a`, `harbor_trials/tests/${id}/step_1/s/b`]) {
    await mkdir(join(dataDir, path, ".."), { recursive: true });
    await writeFile(join(dataDir, path), "12345");
  }
  return id;
}
const acting = () => ({ ...control.ctx, actor: "test" });

async function everything() {
  const rows = await Promise.all(
    ALL_TABLES.map(async (table) => {
      const { rows: found } = await control.ctx.pool.query(
        `SELECT to_jsonb(t) AS row FROM "${table}" t ORDER BY 1`,
      );
      return [table, found] as const;
    }),
  );
  const names = await Promise.all(
    ["runs", "harbor_trials"].map((name) => readdir(join(dataDir, name), { recursive: true })),
  );
  return { rows: Object.fromEntries(rows), files: names.flat().sort() };
}

test("all of a run goes, and nothing of any other", async () => {
  const kept = await add("kept");
  const before = await everything();
  for (const table of ALL_TABLES) expect([table, before.rows[table]]).not.toEqual([table, []]);
  const id = await add("doomed");
  const both = await everything();
  for (const table of ALL_TABLES)
    expect([table, both.rows[table]?.length]).toEqual([
      table,
      2 * (before.rows[table]?.length ?? 0),
    ]);
  // Their names begin alike.
  await control.ctx.db.run.update({ where: { id: kept }, data: { parentId: id, parentStep: 4 } });
  const { row } = (
    await control.ctx.pool.query("SELECT to_jsonb(r) AS row FROM run r WHERE id = $1", [kept])
  ).rows[0];
  expect(await deleteRun(acting(), { id })).toEqual({ freedBytes: 10 });
  expect(await everything()).toEqual({ ...before, rows: { ...before.rows, run: [{ row }] } });
  expect(await readdir(join(dataDir, "deleted"))).toEqual([]);
  await expect(deleteRun(acting(), { id })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test.each(["queued", "booting", "running", "stopping"])(
  "a %s run is not deleted",
  async (status) => {
    const id = await add("doomed", status);
    const before = await everything();
    await expect(deleteRun(acting(), { id })).rejects.toThrow(
      /it can be deleted once it has ended/,
    );
    expect(await everything()).toEqual(before);
  },
);

test("a run that something still works on is not deleted", async () => {
  const id = await add("doomed");
  const { db } = control.ctx;
  const refused = async (words: RegExp) => {
    const before = await everything();
    await expect(deleteRun(acting(), { id })).rejects.toThrow(words);
    expect(await everything()).toEqual(before);
  };
  await db.replay.updateMany({ data: { status: "sampling" } });
  await refused(/replays/);
  await db.replay.updateMany({ data: { status: "done" } });
  await db.checkpointMerge.create({ data: { runId: id, step: 4, status: "running", actor: "a" } });
  await refused(/merged/);
  await db.checkpointMerge.deleteMany();
  const fork = await add("fork", "queued");
  await db.run.update({ where: { id: fork }, data: { parentId: id } });
  await refused(/begins from a checkpoint/);
});

test("a link that leads out of the data directory is not followed", async () => {
  const outside = await mkdtemp(join(tmpdir(), "liverl-outside-"));
  const id = await add("doomed");
  await rm(join(dataDir, "harbor_trials/tests"), { recursive: true });
  await mkdir(join(outside, id));
  await writeFile(join(outside, id, "of-somebody"), "x");
  await symlink(outside, join(dataDir, "harbor_trials/tests"));
  await expect(deleteRun(acting(), { id })).rejects.toThrow(/a link leads to/);
  expect(await control.ctx.db.run.count({ where: { id } })).toBe(1);
  // A link in the place of the run's own folder goes, and not what it leads to.
  await rm(join(dataDir, "harbor_trials/tests"));
  await mkdir(join(dataDir, "harbor_trials/tests"));
  await symlink(join(outside, id), join(dataDir, "harbor_trials/tests", id));
  await deleteRun(acting(), { id });
  await expect(lstat(join(dataDir, "harbor_trials/tests", id))).rejects.toThrow();
  expect(await readFile(join(outside, id, "of-somebody"), "utf8")).toBe("x");
  await rm(outside, { recursive: true });
});

test.each([
  ["before its rows are gone", true],
  ["after they are", false],
])("a kill in a deletion %s leaves nothing half done after the next start", async (_, isKept) => {
  const id = await add("doomed");
  const places = [`runs/${id}`, `harbor_trials/tests/${id}`];
  const left = join(dataDir, "deleted/run-x");
  await mkdir(left, { recursive: true });
  await writeFile(join(left, "deleted.json"), JSON.stringify({ runId: id, project: "tests" }));
  for (const [i, room] of ["run", "trials"].entries()) {
    await cp(join(dataDir, places[i] ?? ""), join(left, room), { recursive: true });
    await rm(join(dataDir, places[i] ?? ""), { recursive: true });
  }
  if (!isKept) await control.ctx.db.run.delete({ where: { id } });
  await clearDeleted(control.ctx);
  await clearDeleted(control.ctx);
  expect(await readdir(join(dataDir, "deleted"))).toEqual([]);
  for (const path of places) {
    const there = await lstat(join(dataDir, path)).catch(() => null);
    expect([path, there !== null]).toEqual([path, isKept]);
  }
});
