import { randomUUID } from "node:crypto";
import { appendFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runFiles } from "#drivers/embedded/run-files.ts";
import { readLog } from "#logs/read-log.ts";
import { tailLog } from "#logs/tail-log.ts";
import { indexTrials } from "#rollouts/follow-trials.ts";
import { launchRun } from "#runs/launch-run.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec, trialChange } from "#testing/factories.ts";
import { getTrajectory } from "#trajectories/get-trajectory.ts";
import { getTrialFile } from "#trajectories/get-trial-file.ts";

describe("files of a run", () => {
  let control: TestControl;
  let runId: string;
  let log: string;
  beforeAll(async () => {
    control = await buildTestContext();
    runId = (await launchRun(control.ctx, { spec: launchSpec(), idempotencyKey: randomUUID() })).id;
    log = runFiles(control.ctx.config.dataDir, runId).log("trainer");
    await mkdir(dirname(log), { recursive: true });
    await writeFile(
      log,
      Array.from({ length: 1_000 }, (_, i) => `line ${i} ${"x".repeat(600)}\n`).join(""),
    );
  });
  afterAll(() => control.close());

  const numbers = (lines: { text: string }[]) =>
    lines.map((line) => Number(/line (\d+)/.exec(line.text)?.[1]));

  test("a log is read backwards page by page without a gap, and forwards again", async () => {
    const seen: number[] = [];
    let before: number | undefined;
    for (let page = 0; page < 20; page++) {
      const { lines, start } = await readLog(control.ctx, {
        runId,
        source: "trainer",
        limit: 300,
        before,
      });
      if (lines.length === 0) break;
      seen.unshift(...numbers(lines));
      before = start;
    }
    expect(seen).toEqual(Array.from({ length: 1_000 }, (_, i) => i));
    const forward = await readLog(control.ctx, {
      runId,
      source: "trainer",
      limit: 5_000,
      after: 0,
    });
    expect(numbers(forward.lines)).toEqual(seen);
    const found = await readLog(control.ctx, {
      runId,
      source: "trainer",
      limit: 10,
      q: "LINE 77 ",
    });
    expect(numbers(found.lines)).toEqual([77]);
  });

  test("a line longer than one request reads is stepped over, and paging comes to the start", async () => {
    const long = runFiles(control.ctx.config.dataDir, runId).log("engine-0");
    await writeFile(long, `line 1\nline 2\n${"x".repeat(17 * 1024 * 1024)}\nline 3\n`);
    const seen: number[] = [];
    let before: number | undefined;
    for (let page = 0; page < 10 && before !== 0; page++) {
      const { lines, start } = await readLog(control.ctx, {
        runId,
        source: "engine-0",
        limit: 10,
        before,
      });
      seen.unshift(...numbers(lines));
      before = start;
    }
    expect(before).toBe(0);
    expect(seen).toEqual([1, 2, 3]);
  });

  test("sources are names from a list, not paths", async () => {
    await expect(
      readLog(control.ctx, { runId, source: "../../operator.token", limit: 10 }),
    ).rejects.toThrow(/no log/);
  });

  test("the tail gives each new line once", async () => {
    const { end } = await readLog(control.ctx, { runId, source: "trainer", limit: 1 });
    const stop = new AbortController();
    const stream = tailLog(control.ctx, { runId, source: "trainer", after: end }, stop.signal);
    await appendFile(log, "line 5001\nline 50");
    const first = await stream.next();
    await appendFile(log, "02\n");
    const second = await stream.next();
    stop.abort();
    await stream.return();
    expect(
      [first, second].map((frame) => (frame.done ? [] : numbers(frame.value[1].lines))),
    ).toEqual([[5001], [5002]]);
  });

  test("a trial's folder that leads out of the data directory is not read", async () => {
    const { dataDir } = control.ctx.config;
    await mkdir(join(dataDir, "harbor_trials"), { recursive: true });
    await symlink("/etc", join(dataDir, "harbor_trials/out"));
    for (const [index, directory] of ["harbor_trials/out", "../../../etc", "/etc"].entries()) {
      const change = trialChange({
        runId,
        step: 1,
        group: 9,
        index,
        cursor: 100 + index,
        directory,
      });
      await indexTrials(control.ctx, { changes: [change], cursor: change.cursor });
      const view = await getTrajectory(control.ctx, { rolloutId: change.rolloutId });
      expect(view).toMatchObject({ files: [], turns: [], patch: null });
      await expect(
        getTrialFile(control.ctx, { rolloutId: change.rolloutId, path: "hostname" }),
      ).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
  });
});
