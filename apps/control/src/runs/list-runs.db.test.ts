import { NEWEST_RUNS } from "@liverl/contract/list-runs";
import type { RunStatus, RunSummary } from "@liverl/contract/run";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LOCAL_VERL_DEFAULTS } from "#launch/verl-defaults.ts";
import { insertRun } from "#runs/insert-run.ts";
import { listRuns } from "#runs/list-runs.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec } from "#testing/factories.ts";

let control: TestControl;
beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());

const COUNT = 23;
const STATUSES = ["succeeded", "failed", "cancelled", "running"] as const;
const VERL = {
  ...LOCAL_VERL_DEFAULTS,
  layout: { nnodes: 2, n_gpus_per_node: 8, rollout_nnodes: 1, rollout_n_gpus_per_node: 4 },
  overrides: { "+trainer.nnodes": 3, "rollout.nnodes": 2 },
};

function line(i: number, step: number): Record<string, number> {
  const value = ((i * 7) % 11) / 10 + step / 1000;
  return {
    ...(i % 5 === 0 ? {} : { [i % 2 ? "critic/rewards/mean" : "reward"]: i % 3 ? value : -value }),
    ...(i % 4 === 0
      ? {}
      : { "val-core/b/acc": value, [`val-core/a${i % 2 ? "-x" : ""}/acc`]: -value }),
    ...(i % 3 === 0 ? {} : { "perf/mfu/actor": value / 3, "trainer/idle_ratio": 1 - value }),
    ...(i % 3 === 1 ? {} : { "perf/time_per_step": 5 + ((i * step) % 7) }),
    ...(i % 6 === 0 ? {} : { "timing_s/step": step % 4 === 0 ? Number.NaN : 3 + ((i + step) % 5) }),
  };
}

/** Runs of a project that differ in all that they can be sorted by, some without a value of it. */
async function fill(project: string): Promise<void> {
  const { ctx } = control;
  const minute = (at: number) => new Date(Date.UTC(2026, 0, 1, 0, at));
  for (let i = 0; i < COUNT; i += 1) {
    const status: RunStatus = STATUSES[i % STATUSES.length] ?? "failed";
    const spec =
      i % 2 ? launchSpec({ rollout: { ...launchSpec().rollout, engines: 1 + (i % 4) } }) : VERL;
    const run = await insertRun(ctx, {
      ...{
        project,
        name: `${i % 2 ? "Zeta" : "alpha"}${i % 3}`,
        status,
        tags: i % 4 ? [] : ["nightly"],
      },
      ...(i % 7 === 0 ? { driver: "attached" } : { driver: spec.driver, spec }),
      ...{ statusReason: i % 4 === 1 ? "the trainer died" : null, createdAt: minute(i % 9) },
      ...(i % 3 === 0 ? {} : { startedAt: minute(30 + (i % 5)) }),
    });
    const at = (minutes: number, message: string) => ({
      ...{ runId: run.id, kind: "status", actor: "test", message, at: minute(minutes) },
    });
    await ctx.db.runEvent.createMany({
      data: [
        ...[
          at(0, "failed: never began"),
          at(1, "booting"),
          at(2, "running"),
          at(10 + i, "failed: x"),
        ],
        ...[at(50, "queued"), at(51, "running"), at(52 + i, "cancelled"), at(90, "queued")],
      ],
    });
    const lines = Array.from({ length: 4 + i * 13 }, (_, step) => ({
      ...{ step, wallMs: step, values: line(i, step) },
    }));
    if (i % 8 !== 0) await ctx.ingest.append(run.id, lines);
  }
  await ctx.ingest.settle();
}

const VALUE_OF: Record<string, (run: RunSummary) => string | number | null> = {
  started: (run) => Date.parse(run.startedAt ?? run.createdAt),
  name: (run) => run.name.toLowerCase(),
  status: (run) => run.status,
  reward: (run) => run.reward.last,
  heldout: (run) => run.heldOutReward,
  mfu: (run) => run.mfu,
  idle: (run) => run.idleRatio,
  steptime: (run) => run.stepTimeS,
  hours: (run) => run.spent?.deviceHours ?? null,
  // A run that has logged nothing stands at step 0 there, and has none here.
  step: (run) => (run.lastPointAt === null ? null : run.step),
};

function expected(runs: readonly RunSummary[], sort: string): string[] {
  const keyOf = VALUE_OF[sort.replace("-", "")] ?? (() => null);
  const sign = sort.startsWith("-") ? -1 : 1;
  const age = (run: RunSummary) => -Date.parse(run.startedAt ?? run.createdAt);
  return [...runs]
    .sort((a, b) => {
      const [left, right] = [keyOf(a), keyOf(b)];
      if ((left === null) !== (right === null)) return left === null ? 1 : -1;
      if (left !== null && right !== null && left !== right) return left < right ? -sign : sign;
      return age(a) - age(b) || (a.id < b.id ? -1 : 1);
    })
    .map(({ id }) => id);
}

test("sorts by what the table shows, those without a value last, and pages go on without a gap", async () => {
  const project = "sorted";
  await fill(project);
  const { runs, total } = await listRuns(control.ctx, { project });
  expect([runs.length, total]).toEqual([COUNT, COUNT]);
  for (const field of Object.keys(VALUE_OF)) {
    const values = runs.map((run) => VALUE_OF[field]?.(run));
    expect(new Set(values).size, `${field} differs`).toBeGreaterThan(1);
    for (const sort of [field, `-${field}`]) {
      const wanted = expected(runs, sort);
      const ids: string[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const page = await listRuns(control.ctx, {
          ...{ project, sort, limit: 4 },
          ...(cursor === undefined ? {} : { cursor }),
        });
        expect(page.total).toBe(COUNT);
        ids.push(...page.runs.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      expect(ids, sort).toEqual(wanted);
    }
  }
  expect(runs.map(({ id }) => id)).toEqual(expected(runs, NEWEST_RUNS));
  // What is sorted by is filtered by, too: each number as the table has it.
  for (const [field, least] of Object.entries({ mfu: 0.1, idle: 0.2, steptime: 4, hours: 8 })) {
    const found = await listRuns(control.ctx, { project, f: `${field} > ${least}` });
    const meets = runs.filter((run) => Number(VALUE_OF[field]?.(run) ?? Number.NaN) > least);
    expect(found.runs.map(({ id }) => id).sort(), field).toEqual(meets.map(({ id }) => id).sort());
    expect(found.total).toBeGreaterThan(0);
    expect(found.total).toBeLessThan(COUNT);
  }
});

test("counts every status that the filter lets through, whatever statuses are asked for", async () => {
  const project = "counted";
  const make = (status: RunStatus, tags: string[] = []) =>
    insertRun(control.ctx, { project, name: "one", status, driver: "attached", tags });
  for (const status of ["failed", "failed", "succeeded", "queued", "draft"] as const)
    await make(status, ["nightly"]);
  await make("failed");
  const page = await listRuns(control.ctx, {
    ...{ project, status: ["failed"], limit: 1, f: "tag = nightly" },
  });
  expect([page.runs.length, page.total]).toEqual([1, 2]);
  expect(page.counts).toEqual({
    status: {
      ...{ draft: 1, queued: 1, booting: 0, running: 0, stopping: 0 },
      ...{ succeeded: 1, stopped: 0, failed: 2, cancelled: 0, ended: 0 },
    },
    look: 2,
  });
  const all = await listRuns(control.ctx, { project });
  expect([all.total, all.nextCursor]).toEqual([5, null]);
  const none = await listRuns(control.ctx, { project, f: "name = other" });
  expect([none.runs, none.total, none.counts.look]).toEqual([[], 0, 0]);
});

test("those that want a look failed, or go on with a mark that is not green", async () => {
  const other = await buildTestContext();
  const make = (name: string, status: RunStatus) =>
    insertRun(other.ctx, { project: "looked", name, status, driver: "attached", tags: [] });
  const [stalled] = await Promise.all([
    make("stalled", "running"),
    make("fresh", "running"),
    make("failed", "failed"),
    make("done", "succeeded"),
  ]);
  const lines = Array.from({ length: 8 }, (_, step) => ({
    ...{ step, wallMs: Date.now() - 86_400_000 + step, values: { "critic/rewards/mean": 1 } },
  }));
  await other.ctx.ingest.append(stalled.id, lines);
  await other.ctx.ingest.settle();
  const { runs, total, counts } = await listRuns(other.ctx, { project: "looked", look: true });
  expect(runs.map(({ name }) => name).sort()).toEqual(["failed", "stalled"]);
  expect([total, counts.look]).toEqual([2, 2]);
  await other.close();
});

test("what is no order and no cursor is the caller's fault", async () => {
  const { ctx } = control;
  await expect(listRuns(ctx, { sort: "-tag" })).rejects.toThrow(/no order -tag/);
  await expect(listRuns(ctx, { cursor: "nonsense" })).rejects.toThrow(/cursor is of no page/);
});
