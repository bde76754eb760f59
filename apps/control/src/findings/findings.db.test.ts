import { describeFinding, earlierFindings } from "@liverl/contract/run";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { judgeAlerts } from "#alerts/judge-alerts.ts";
import { catchUpAllRuns, syncFindings } from "#findings/sync-findings.ts";
import { appRouter } from "#router.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";

const REWARD = "critic/rewards/mean";
const GRAD = "actor/grad_norm";
const START_MS = Date.now() - 301 * 30_000;
const collapse = Array.from({ length: 300 }, (_, i) =>
  i >= 119 && i < 123 ? 0.18 : 0.4 + (0.3 * i) / 300,
);

describe("findings", () => {
  let control: TestControl;
  let project = "";
  let id = "";
  let serial = 0;
  const api = () => appRouter.createCaller(control.ctx);

  beforeAll(async () => {
    control = await buildTestContext();
  });
  afterAll(() => control.close());
  beforeEach(async () => {
    project = `f${++serial}`;
    id = `${project}-one`;
    await control.ctx.db.run.create({
      data: { id, project, name: "one", status: "running", driver: "attached", color: 1 },
    });
  });

  async function log(
    key: string,
    values: readonly (number | string)[],
    { from = 1, sinceMs = START_MS } = {},
  ): Promise<void> {
    await control.ctx.ingest.append(
      id,
      values.map((value, i) => ({
        ...{ step: from + i, wallMs: sinceMs + (from + i) * 30_000 },
        values: { [key]: value as number },
      })),
    );
    await control.ctx.ingest.settle();
  }
  const events = async () =>
    (await api().run.events({ id })).events
      .filter(({ kind }) => kind === "finding")
      .map(({ step, message }) => [step, message]);
  const brief = async () =>
    (await api().run.verdict({ id })).findings.map(({ sign, fromStep, toStep }) => [
      ...[sign, fromStep, toStep],
    ]);
  const sync = async () =>
    syncFindings(control.ctx, await control.ctx.db.run.findUniqueOrThrow({ where: { id } }));

  test("a collapse at step 120, sent as one batch of 300 steps, is in the verdict, the run and its events", async () => {
    await log(REWARD, collapse);
    const verdict = await api().run.verdict({ id });
    expect(verdict.word).toBe("Healthy");
    expect(earlierFindings(verdict).map(describeFinding)).toEqual([
      "Reward fell 0.516 → 0.180 at step 120, recovered by step 124",
    ]);
    expect((await api().run.get({ id })).verdict.findings).toEqual(verdict.findings);
    expect(await events()).toEqual([
      [120, "Reward fell 0.516 → 0.180 at step 120"],
      [124, "Reward fell 0.516 → 0.180 at step 120, recovered by step 124"],
    ]);
    // Again changes nothing.
    await sync();
    expect(await events()).toHaveLength(2);
  });

  test("NaN is remembered, step by step as in one batch, and points that come late are judged", async () => {
    const values = Array.from({ length: 80 }, (_, i) =>
      i >= 40 && i < 43 ? "NaN" : 0.5 + (i % 3) * 0.01,
    );
    for (let from = 1; from <= 80; from += 8) {
      await log(GRAD, values.slice(from - 1, from + 7), { from });
      await sync();
    }
    expect(await brief()).toEqual([["grad-norm-nan", 41, 44]]);
    expect((await events()).map(([step]) => step)).toEqual([41, 44]);
    await log(
      REWARD,
      collapse.slice(0, 80).map((value, i) => (i >= 29 && i < 33 ? 0.1 : value)),
    );
    expect(await brief()).toEqual([
      ["reward-drop", 30, 34],
      ["grad-norm-nan", 41, 44],
    ]);
  });

  test("steps that came while control was down are judged at its start", async () => {
    await log(REWARD, collapse);
    await catchUpAllRuns(control.ctx, new AbortController().signal);
    expect(await control.ctx.db.finding.findMany({ where: { runId: id } })).toMatchObject([
      { sign: "reward-drop", fromStep: 120, toStep: 124, isOver: true },
    ]);
  });

  test("what was found on steps that a resume abandoned goes, with its events", async () => {
    await log(REWARD, collapse.slice(0, 150));
    expect(await brief()).toEqual([["reward-drop", 120, 124]]);
    const sinceMs = START_MS + 200 * 30_000;
    await recordRunEvent(control.ctx, id, {
      ...{ kind: "resume", actor: "t", message: "from 100", step: 100, at: new Date(sinceMs) },
    });
    await log(
      REWARD,
      Array.from({ length: 60 }, (_, i) => 0.5 + i / 1000),
      { from: 101, sinceMs },
    );
    expect(await brief()).toEqual([]);
    expect(await events()).toEqual([]);
  });

  test("thresholds that change find other signs, of which no alert tells", async () => {
    await api().alert.saveRule({
      ...{ project, name: "Drop" },
      condition: { kind: "sign", signs: ["reward-drop"] },
    });
    for (const id of ["reward-drop", "reward-fall"] as const)
      await api().threshold.set({ project, id, warn: null, bad: null });
    await log(REWARD, collapse);
    expect(await brief()).toEqual([]);
    await api().threshold.reset({ project });
    await judgeAlerts(control.ctx, [id]);
    expect(await brief()).toEqual([["reward-drop", 120, 124]]);
    expect((await api().alert.list({ project, view: "history" })).alerts).toEqual([]);
  });

  test("an alert tells once of a finding that was over before anybody looked", async () => {
    await api().alert.saveRule({
      ...{ project, name: "Drop" },
      condition: { kind: "sign", signs: ["reward-drop", "grad-norm-nan"] },
    });
    await log(REWARD, collapse);
    await log(GRAD, [...Array(50).fill(0.5), "NaN", ...Array(249).fill(0.5)]);
    for (let i = 0; i < 3; i++) await judgeAlerts(control.ctx, [id]);
    const { alerts } = await api().alert.list({ project, view: "history" });
    expect(alerts).toHaveLength(1);
    expect(alerts[0]).toMatchObject({
      title: "Gradient norm is not finite at step 51, recovered by step 52",
      detail: expect.stringContaining("Also found: Reward fell 0.516 → 0.180 at step 120"),
      resolvedAt: expect.any(String),
    });
  });
});
