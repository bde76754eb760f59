import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { COMPUTED_KEYS } from "@liverl/contract/metric";
import { RUN_MOVES, RunStatus } from "@liverl/contract/run";
import { VERL_BOOT_PHASES } from "@liverl/contract/verl-launch";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getGroup } from "#groups/get-group.ts";
import { LOCAL_VERL_DEFAULTS } from "#launch/verl-defaults.ts";
import { readSeries } from "#metrics/read-series.ts";
import { completeGroupSeries } from "#rollouts/compute-group-series.ts";
import { indexTrials } from "#rollouts/follow-trials.ts";
import { listRollouts } from "#rollouts/list-rollouts.ts";
import { checkpointRun } from "#runs/checkpoint-run.ts";
import { getRun } from "#runs/get-run.ts";
import { launchRun } from "#runs/launch-run.ts";
import { listRuns } from "#runs/list-runs.ts";
import { moveRun } from "#runs/move-run.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";
import { resumeRun } from "#runs/resume-run.ts";
import { stopRun } from "#runs/stop-run.ts";
import { watchRuns } from "#runs/watch-runs.ts";
import { getStep } from "#steps/get-step.ts";
import { listSteps } from "#steps/list-steps.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec, trialChange } from "#testing/factories.ts";
import { until } from "#testing/until.ts";

describe("runs", () => {
  let control: TestControl;
  beforeAll(async () => {
    control = await buildTestContext();
  });
  afterAll(() => control.close());

  const launch = (name = "small") =>
    launchRun(control.ctx, { spec: launchSpec({ name }), idempotencyKey: randomUUID() });
  const force = (id: string, status: RunStatus) =>
    control.ctx.db.run.update({ where: { id }, data: { status } });

  test("a launch key makes one run, also when it arrives ten times at once", async () => {
    const idempotencyKey = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        launchRun(control.ctx, { spec: launchSpec({ name: "once" }), idempotencyKey }),
      ),
    );
    expect(new Set(answers.map((answer) => answer.id)).size).toBe(1);
    expect(await control.ctx.db.run.count({ where: { name: "once" } })).toBe(1);
    await expect(
      launchRun(control.ctx, { spec: launchSpec({ name: "once", seed: 2 }), idempotencyKey }),
    ).rejects.toThrow(AppError);
  });

  test("a run of verl can be stopped and killed like any, and writes checkpoints by its own plan", async () => {
    const spec = { ...LOCAL_VERL_DEFAULTS, project: "tests", name: "verl" };
    const { id } = await launchRun(control.ctx, { spec, idempotencyKey: randomUUID() });
    await force(id, "running");
    const { can, boot } = await getRun(control.ctx, { id });
    expect([can.stop, can.kill]).toEqual([true, true]);
    expect(can.checkpoint).toMatch(/save_freq/);
    expect(boot.map((phase) => phase.id)).toEqual(VERL_BOOT_PHASES.map((phase) => phase.id));
    await expect(checkpointRun(control.ctx, { id })).rejects.toThrow(AppError);
    await stopRun(control.ctx, { id, when: "after-step" });
    expect(await control.ctx.db.run.findUnique({ where: { id } })).toMatchObject({
      status: "stopping",
      stopMode: "after-step",
    });
    // Nobody would read the file that the embedded trainer is told by.
    const told = join(control.ctx.config.dataDir, "runs", id, "commands.jsonl");
    await expect(readFile(told)).rejects.toThrow(/ENOENT/);
  });

  test("why an ended run writes no checkpoint is said in whole words", async () => {
    const { id } = await launchRun(control.ctx, {
      spec: launchSpec({ name: "over" }),
      idempotencyKey: randomUUID(),
    });
    await force(id, "succeeded");
    const { can } = await getRun(control.ctx, { id });
    expect(can.checkpoint).toBe("The run has ended; only a running one writes checkpoints.");
  });

  test("a launch that was killed before it was queued is finished by the same key, and is no run until then", async () => {
    const input = { spec: launchSpec({ name: "killed" }), idempotencyKey: randomUUID() };
    const { id } = await launchRun(control.ctx, input);
    await force(id, "draft");
    expect(await launchRun(control.ctx, input)).toEqual({ id });
    expect(await control.ctx.db.run.findUnique({ where: { id } })).toMatchObject({
      status: "queued",
    });
  });

  test("launches at the same moment get different numbers", async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => launch("many")));
    expect(answers.map((answer) => answer.id).sort()).toEqual([
      "many-01",
      "many-02",
      "many-03",
      "many-04",
      "many-05",
    ]);
  });

  test("of moves that race, those that the table allows win once", async () => {
    const { id } = await launch();
    await force(id, "running");
    const won = await Promise.all(
      (["succeeded", "failed", "cancelled"] as const).map((to) =>
        moveRun(control.ctx, id, { to, reason: null, actor: "test" }),
      ),
    );
    expect(won.filter(Boolean)).toHaveLength(1);
    const ended = await control.ctx.db.run.findUniqueOrThrow({ where: { id } });
    expect(ended.endedAt).not.toBeNull();
    expect(await control.ctx.db.runEvent.count({ where: { runId: id, kind: "status" } })).toBe(1);
  });

  test("only moves of the table happen", async () => {
    const { id } = await launch();
    for (const from of RunStatus.options) {
      for (const to of RunStatus.options) {
        await force(id, from);
        expect(
          await moveRun(control.ctx, id, { to, reason: null, actor: "test" }),
          `${from} → ${to}`,
        ).toBe((RUN_MOVES[from] as readonly RunStatus[]).includes(to));
      }
    }
  });

  test("a stop after the step is an order in the run's file; a stop now may follow it", async () => {
    const { id } = await launch();
    await force(id, "running");
    await stopRun(control.ctx, { id, when: "after-step" });
    const orders = await readFile(
      join(control.ctx.config.dataDir, "runs", id, "commands.jsonl"),
      "utf8",
    );
    expect(JSON.parse(orders)).toMatchObject({ command: "stop-after-step" });
    expect(await control.ctx.db.run.findUnique({ where: { id } })).toMatchObject({
      status: "stopping",
      stopMode: "after-step",
    });
    await stopRun(control.ctx, { id, when: "now" });
    expect(await control.ctx.db.run.findUnique({ where: { id } })).toMatchObject({
      status: "stopping",
      stopMode: "now",
    });
  });

  test("resumes only from a checkpoint that is complete", async () => {
    const { id } = await launch();
    await force(id, "failed");
    const folder = join(control.ctx.config.dataDir, "runs", id, "checkpoints");
    await mkdir(join(folder, "global_step_2"), { recursive: true });
    await mkdir(join(folder, "global_step_4"), { recursive: true });
    await expect(resumeRun(control.ctx, { id })).rejects.toThrow(/no complete checkpoint/);
    await writeFile(join(folder, "global_step_2", "COMPLETE"), "");
    await expect(resumeRun(control.ctx, { id, step: 4 })).rejects.toThrow(/step 4/);
    await resumeRun(control.ctx, { id });
    expect(await control.ctx.db.run.findUnique({ where: { id } })).toMatchObject({
      status: "queued",
      resumeFrom: "2",
    });
    await expect(resumeRun(control.ctx, { id })).rejects.toThrow(/queued/);
  });

  test("a queued run says what it waits for, and one that ended early says why it is forked, not resumed", async () => {
    const first = await launch("under-way");
    const { id } = await launch("behind-it");
    await force(first.id, "running");
    const names = (await control.ctx.db.run.findMany({ select: { name: true } })).map(
      ({ name }) => name,
    );
    const words = (await getRun(control.ctx, { id })).statusReason;
    expect(
      names.map((name) => `Waits for ${name} to end: one run trains here at a time.`),
    ).toContain(words);
    expect((await getRun(control.ctx, { id: first.id })).statusReason).toBeNull();
    await force(id, "succeeded");
    const { can, plannedSteps } = await getRun(control.ctx, { id });
    expect(can.resume).toBe(
      `It met its plan's goal after 0 of ${plannedSteps} steps: fork it from a checkpoint to train on.`,
    );
  });

  test("members whose ids tell no place stand in the order in which they came", async () => {
    const { id } = await launch("unplaced");
    const came = (name: string, minute: number, cursor: number) =>
      trialChange({
        ...{ runId: id, step: 1, group: 0, index: 0, cursor, rolloutId: `u1.${name}` },
        queuedAt: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
      });
    await indexTrials(control.ctx, { changes: [came("f", 1, 1), came("b", 2, 2)], cursor: 2 });
    await indexTrials(control.ctx, { changes: [came("f", 1, 3), came("a", 3, 4)], cursor: 4 });
    const rows = await control.ctx.db.rollout.findMany({
      where: { runId: id },
      orderBy: { index: "asc" },
    });
    expect(rows.map(({ rolloutId, index }) => [rolloutId, index])).toEqual([
      ["u1.f", 0],
      ["u1.b", 1],
      ["u1.a", 2],
    ]);
  });

  test("indexes the runner's feed, computes the series of a complete step and shows step, group and list", async () => {
    const { id } = await launch("indexed");
    const changes = [0, 1].flatMap((group) =>
      [0, 1, 2, 3].map((index) =>
        trialChange({
          runId: id,
          step: 1,
          group,
          index,
          cursor: group * 4 + index + 1,
          reward: group === 0 ? 1 : index % 2,
        }),
      ),
    );
    await indexTrials(control.ctx, { changes: changes.slice(0, 7), cursor: 7 });
    await indexTrials(control.ctx, {
      changes: [
        ...changes.slice(5, 7),
        {
          ...changes[7]!,
          status: "failed",
          reward: null,
          error: {
            exception_type: "AgentTimeoutError",
            exception_message: "late",
            occurred_at: "2026-01-01T00:00:00Z",
          },
        },
      ],
      cursor: 8,
    });
    await until(
      async () =>
        (
          await readSeries(control.ctx.pool, {
            runId: id,
            keys: [COMPUTED_KEYS.zeroStd],
            buckets: 10,
          })
        ).series[0]?.value[0] === 0.5,
    );
    const { series } = await readSeries(control.ctx.pool, {
      runId: id,
      keys: [COMPUTED_KEYS.groupsAll, COMPUTED_KEYS.groupsPart, COMPUTED_KEYS.invalidRatio],
      buckets: 10,
    });
    expect(series.map((one) => one.value[0])).toEqual([0.5, 0.5, 1 / 8]);

    const step = await getStep(control.ctx, { runId: id, step: 1, mode: "train" });
    expect(step.groups.map((group) => group.solved)).toEqual(["all", "part"]);
    expect(step.headlines.find((headline) => headline.id === "zero-std")).toMatchObject({
      value: 0.5,
      unit: "ratio",
    });
    const { group, previous, next } = await getGroup(control.ctx, {
      runId: id,
      groupId: `${id}.s1.g1`,
    });
    expect([previous, next]).toEqual([`${id}.s1.g0`, null]);
    expect(group.mean).toBeCloseTo(1 / 3);
    const advantages = group.rollouts.map((rollout) => rollout.advantage);
    // (0 − 1/3) / (0.577… + 1e-6), and none for the rollout without a reward.
    expect(advantages[0]).toBeCloseTo(-0.57735, 4);
    expect(advantages[3]).toBeNull();
    const first = await listRollouts(control.ctx, { runId: id, limit: 5 });
    const second = await listRollouts(control.ctx, {
      runId: id,
      limit: 5,
      cursor: first.nextCursor!,
    });
    expect([first.total, first.rollouts.length, second.rollouts.length, second.nextCursor]).toEqual(
      [8, 5, 3, null],
    );
    expect(
      new Set([...first.rollouts, ...second.rollouts].map((rollout) => rollout.rolloutId)).size,
    ).toBe(8);
    expect(
      (await listRollouts(control.ctx, { runId: id, limit: 10, f: "status = failed" })).rollouts,
    ).toHaveLength(1);
    expect((await getRun(control.ctx, { id })).counts.rollouts).toBe(8);
  });

  test("a step whose series were lost between index and ingest is made up for, also behind later steps", async () => {
    const { id } = await launch("lost");
    const feed = (step: number) => ({
      cursor: step * 8,
      changes: Array.from({ length: 8 }, (_, i) =>
        trialChange({ runId: id, step, group: i >> 2, index: i % 4, cursor: i + 1 }),
      ),
    });
    const steps = async () =>
      (
        await readSeries(control.ctx.pool, {
          runId: id,
          keys: [COMPUTED_KEYS.zeroStd],
          buckets: 10,
        })
      ).series[0]?.step ?? [];
    const died = { ...control.ctx.ingest, append: () => Promise.reject(new Error("killed here")) };
    await expect(indexTrials({ ...control.ctx, ingest: died }, feed(1))).rejects.toThrow();
    await indexTrials(control.ctx, feed(2));
    await until(async () => (await steps()).includes(2));
    await completeGroupSeries(control.ctx);
    await until(async () => (await steps()).includes(1));

    const [given, ...rest] = feed(3).changes;
    const stopped = { ...given!, status: "cancelled" as const, reward: null };
    await indexTrials(control.ctx, { cursor: 24, changes: [stopped, ...rest] });
    await indexTrials(control.ctx, feed(4));
    await until(async () => (await steps()).includes(4));
    expect(await steps(), "a step that a stop cut off is none that failed").toEqual([1, 2, 4]);
  });

  test("a run whose rollouts are not ours has the steps of its longest series", async () => {
    const { id } = await launch("metrics-only");
    const lines = [0, 300, 600].map((step) => ({ step, wallMs: 1, values: { loss: step } }));
    await control.ctx.ingest.append(id, [
      ...lines,
      { step: 300, wallMs: 1, values: { "val/reward": 1 } },
    ]);
    await until(
      async () => (await listSteps(control.ctx, { runId: id, mode: "train" })).steps.length === 3,
    );
    expect(await getStep(control.ctx, { runId: id, step: 300, mode: "train" })).toMatchObject({
      firstStep: 0,
      lastStep: 600,
    });
    await expect(getStep(control.ctx, { runId: id, step: 1, mode: "eval" })).rejects.toThrow(
      /no evaluations yet/,
    );
  });

  test("run.live replays the events that a reconnecting page missed, then sends new ones", async () => {
    const { id } = await launch("live");
    await recordRunEvent(control.ctx, id, { kind: "status", actor: "test", message: "one" });
    const seen = await control.ctx.db.runEvent.findFirstOrThrow({
      where: { runId: id },
      orderBy: { id: "desc" },
    });
    await recordRunEvent(control.ctx, id, { kind: "status", actor: "test", message: "two" });
    const stop = new AbortController();
    const stream = watchRuns(control.ctx, { id, lastEventId: String(seen.id) }, stop.signal);
    const messages: string[] = [];
    const reading = (async () => {
      for await (const [, frame] of stream)
        if (frame.kind === "event") messages.push(frame.event.message);
        else if (frame.kind === "run") messages.push(`run ${frame.run.status}`);
    })();
    await until(() => messages.includes("run queued"));
    await recordRunEvent(control.ctx, id, { kind: "status", actor: "test", message: "three" });
    await until(() => messages.includes("three"));
    stop.abort();
    await reading;
    expect(messages.filter((message) => !message.startsWith("run"))).toEqual(["two", "three"]);
  });

  test("lists by project, status and text", async () => {
    const { runs } = await listRuns(control.ctx, {
      project: "tests",
      f: "name ~ many and reward = none and algorithm != ppo",
      status: ["queued"],
    });
    expect(runs).toHaveLength(5);
    expect((await listRuns(control.ctx, { project: "none" })).runs).toEqual([]);
  });
});
