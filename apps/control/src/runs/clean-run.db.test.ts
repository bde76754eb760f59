import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanRun } from "#runs/clean-run.ts";
import { insertRun } from "#runs/insert-run.ts";
import { planClean } from "#runs/plan-clean.ts";
import { resumeRun } from "#runs/resume-run.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec } from "#testing/factories.ts";
import { startRunnerStandIn } from "#testing/runner-stand-in.ts";

let control: TestControl;
beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());

async function ended(name: string, status = "failed") {
  const run = await insertRun(control.ctx, {
    ...{ project: "tests", name, status, driver: "embedded", spec: launchSpec(), tags: [] },
  });
  const { dataDir } = control.ctx.config;
  const logs = join(dataDir, "runs", run.id, "logs");
  const trials = join(dataDir, "harbor_trials/tests", run.id);
  for (const [folder, bytes] of [
    [logs, 300],
    [join(trials, "step_1/s"), 2_000],
  ] as const) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "file"), "x".repeat(bytes));
  }
  return { id: run.id, logs, trials };
}
const acting = () => ({ ...control.ctx, actor: "test" });

test("what would go is counted, and goes only then; pods of another LiveRL only by force", async () => {
  const { id, logs, trials } = await ended("pods");
  const path = `/api/v1/runs/${id}`;
  const left = [
    { name: "p1", isOurs: true, phase: "Running" },
    { name: "p2", isOurs: false, phase: null },
  ];
  // Stands in for a runner with a cluster; it answers the same path alike to each method.
  const answers = new Map<string, unknown>([
    [path, {}],
    [`${path}/pods`, { pods: left, removed: 1 }],
    [`${path}/pods?others=true`, { removed: 2 }],
  ]);
  const runner = await startRunnerStandIn(control.ctx.config.dataDir, answers);
  expect(await planClean(control.ctx, { id })).toEqual({
    ...{ processes: [], leftovers: { files: 0, bytes: 0 } },
    ...{ logs: { files: 1, bytes: 300 }, trials: { files: 1, bytes: 2_000 } },
    ...{ pods: left, podsFault: null },
  });
  expect([existsSync(logs), existsSync(trials)]).toEqual([true, true]);
  expect(await cleanRun(acting(), { id, pods: true })).toEqual({
    ...{ processes: 0, pods: 1, freedBytes: 0 },
  });
  expect(await cleanRun(acting(), { id, pods: true, force: true, trials: true })).toEqual({
    ...{ processes: 0, pods: 2, freedBytes: 2_000 },
  });
  expect([existsSync(logs), existsSync(trials)]).toEqual([true, false]);
  const events = await control.ctx.db.runEvent.findMany({ where: { runId: id, kind: "clean" } });
  expect(events.map(({ message }) => message)).toEqual([
    "0.0 MB freed, 0 processes ended, 1 pod removed",
    "trials deleted, 0.0 MB freed, 0 processes ended, 2 pods removed",
  ]);
  await runner.close();
});

test("without a cluster pods are refused in words, and nothing else is gone", async () => {
  const { id, logs } = await ended("no-cluster");
  const runner = await startRunnerStandIn(
    control.ctx.config.dataDir,
    new Map([[`/api/v1/runs/${id}`, {}]]),
  );
  const { podsFault, logs: files } = await planClean(control.ctx, { id });
  expect([podsFault, files.bytes]).toEqual([expect.stringContaining("/pods"), 300]);
  await expect(cleanRun(acting(), { id, logs: true, pods: true })).rejects.toThrow(/pods/);
  expect(existsSync(logs)).toBe(true);
  await runner.close();
});

test("a run that goes on is not cleaned, nor planned to be", async () => {
  const { id } = await ended("running", "running");
  await expect(planClean(control.ctx, { id })).rejects.toThrow(/once it has ended/);
  await expect(cleanRun(acting(), { id })).rejects.toThrow(/once it has ended/);
});

test("a run can not be resumed while it is cleaned", async () => {
  const { id, trials } = await ended("raced");
  const meanwhile: unknown[] = [];
  const runner = {
    ...control.ctx.runner,
    // Between the look at the run's state and the deletion.
    cancelRun: async () => {
      meanwhile.push(await resumeRun(acting(), { id }).catch((error: unknown) => error));
    },
  };
  await cleanRun({ ...acting(), runner }, { id, trials: true });
  expect(meanwhile).toMatchObject([
    { code: "CONFLICT", userMessage: expect.stringContaining("is being cleaned or resumed") },
  ]);
  expect(existsSync(trials)).toBe(false);
  // Afterwards its own reasons are told again.
  await expect(resumeRun(acting(), { id })).rejects.toThrow(/no complete checkpoint/);
});
