import type { AlertCondition } from "@liverl/contract/alert";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addDefaultRules } from "#alerts/default-rules.ts";
import { judgeAlerts } from "#alerts/judge-alerts.ts";
import { listRules, removeRule } from "#alerts/rules.ts";
import { watchAlerts } from "#alerts/watch-alerts.ts";
import { carryDeliveries } from "#alerts/webhooks/courier.ts";
import { appRouter } from "#router.ts";
import { moveRun } from "#runs/move-run.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { until } from "#testing/until.ts";
import { startWebhookReceiver, type WebhookReceiver } from "#testing/webhook-receiver.ts";

describe("alerts", () => {
  let control: TestControl;
  let receiver: WebhookReceiver;
  let project = "";
  let serial = 0;
  const stop = new AbortController();
  let courier: Promise<void>;
  const api = () => appRouter.createCaller(control.ctx);

  beforeAll(async () => {
    control = await buildTestContext();
    control.ctx.config.webhookAllow = ["127.0.0.1"];
    receiver = await startWebhookReceiver();
    courier = carryDeliveries(control.ctx, stop.signal);
  });
  afterAll(async () => {
    stop.abort();
    await courier;
    await receiver.close();
    await control.close();
  });
  beforeEach(async () => {
    project = `p${++serial}`;
    // What an earlier test still sends is not this one's.
    await control.ctx.db.alertReceiver.deleteMany({});
    Object.assign(receiver, { answer: null, bodies: [], paths: [] });
  });

  async function makeRun(name = "one"): Promise<string> {
    const id = `${project}-${name}`;
    await control.ctx.db.run.create({
      data: { id, project, name, status: "running", driver: "attached", color: 1 },
    });
    return id;
  }
  async function log(runId: string, values: readonly number[], from = 1): Promise<void> {
    await control.ctx.ingest.append(
      runId,
      values.map((value, i) => ({ step: from + i, wallMs: Date.now(), values: { loss: value } })),
    );
    await control.ctx.ingest.settle();
    const last = from + values.length - 1;
    await until(async () => {
      const { rows } = await control.ctx.pool.query(
        "SELECT last_step FROM series WHERE run_id = $1",
        [runId],
      );
      return rows[0]?.last_step === last;
    });
  }
  const HIGH: AlertCondition = {
    ...{ kind: "threshold", metric: "loss", side: "above", value: 5, steps: 1 },
  };
  const rule = (condition: AlertCondition = HIGH, change = {}) =>
    api().alert.saveRule({ project, name: "High loss", condition, ...change });
  const listen = (format: "json" | "slack" = "json") =>
    api().alert.addReceiver({ project, name: "ops", url: receiver.url, format });
  const list = (view: "open" | "silenced" | "history" = "open") =>
    api().alert.list({ project, view });
  const judge = (runId: string) => judgeAlerts(control.ctx, [runId]);

  test("a new project has its default rules once; deleted ones do not come back", async () => {
    const { ctx } = control;
    const names = async () => (await listRules(ctx, { project })).rules.map(({ name }) => name);
    const run = await makeRun();
    await Promise.all([addDefaultRules(ctx, [run]), addDefaultRules(ctx, [run])]);
    expect((await names()).sort()).toEqual(["Run failed or stalled", "Training is damaged"]);

    const [first] = (await listRules(ctx, { project })).rules;
    await removeRule({ ...ctx, actor: "test" }, { project, id: first?.id ?? "" });
    const another = await makeRun("two");
    await addDefaultRules(ctx, [run, another]);
    expect(await names()).toHaveLength(1);

    await ctx.db.run.update({
      where: { id: another },
      data: { status: "failed", endedAt: new Date() },
    });
    await judgeAlerts(ctx, [another]);
    const fired = await ctx.db.alert.findMany({ where: { runId: another } });
    expect(fired.map(({ ruleName }) => ruleName)).toEqual(
      (await names()).filter((name) => name === "Run failed or stalled"),
    );
  });

  test("fires once, tells, and tells when it is over", async () => {
    const runId = await makeRun();
    await rule();
    await listen();
    await log(runId, [1, 9]);
    await judge(runId);
    await judge(runId);
    const { alerts, open } = await list();
    expect(open).toBe(1);
    expect(alerts[0]).toMatchObject({ title: "loss is above 5", step: 2, value: 9 });
    await until(() => receiver.bodies.length === 1);
    expect(receiver.bodies[0]).toMatchObject({
      ...{ event: "fired", project, run: { id: runId } },
      alert: { id: alerts[0]?.id, rule: "High loss", metric: "loss", step: 2 },
      url: expect.stringContaining(`/p/${project}/runs/${runId}`),
    });
    await log(runId, [1], 3);
    await judge(runId);
    await judge(runId);
    await until(() => receiver.bodies.length === 2);
    expect(receiver.bodies[1]).toMatchObject({
      event: "resolved",
      alert: { id: alerts[0]?.id, resolvedWhy: "the condition holds no more" },
    });
    expect((await list()).open).toBe(0);
    // It is an event of the run, at its step, so that charts can mark it.
    const events = await control.ctx.db.runEvent.findMany({
      where: { runId, kind: "alert" },
      orderBy: { id: "asc" },
    });
    expect(events.map(({ step, message }) => [step, message])).toEqual([
      [2, "loss is above 5 (High loss)"],
      [null, "over: loss is above 5 (High loss); the condition holds no more"],
    ]);
    await log(runId, [8], 4);
    await judge(runId);
    expect((await list("history")).alerts).toHaveLength(2);
  });

  test("Slack gets its own format, with our text as text", async () => {
    const runId = await makeRun("a<b>&c".replace(/[<>&]/g, "-"));
    await rule({ kind: "status", statuses: ["failed"] });
    await listen("slack");
    await moveRun(control.ctx, runId, { to: "failed", reason: "<!channel> & more", actor: "t" });
    await judge(runId);
    const text = await until(
      () => receiver.bodies.map((body) => String(body.text ?? "")).find(Boolean) ?? null,
    );
    expect(text).toContain("*The run is failed*");
    expect(text).toContain("&lt;!channel&gt; &amp; more");
    expect(text).not.toContain("<!channel>");
  });

  test("a delivery that fails is tried again, and is given up when it can not work", async () => {
    const runId = await makeRun();
    await rule();
    await listen();
    receiver.answer = (_, response) => response.writeHead(503).end("busy");
    await log(runId, [9]);
    await judge(runId);
    const delivery = async () => (await list("history")).alerts[0]?.deliveries[0];
    await until(async () => (await delivery())?.attempts === 1);
    expect(await delivery()).toMatchObject({ status: "queued", error: "It answered 503: busy." });
    const due = new Date((await delivery())?.nextAt ?? 0).getTime() - Date.now();
    expect(due).toBeGreaterThan(2_000);
    // Its time has come, and the receiver works again.
    receiver.answer = null;
    await control.ctx.db.alertDelivery.updateMany({ data: { nextAt: new Date() } });
    control.ctx.live.emit("delivery");
    await until(async () => (await delivery())?.status === "delivered");
    expect(await delivery()).toMatchObject({ attempts: 2, error: null });

    receiver.answer = (_, response) => response.writeHead(404).end();
    await log(runId, [1], 2);
    await judge(runId);
    const last = async () => (await list("history")).alerts[0]?.deliveries[1];
    await until(async () => (await last())?.status === "failed");
    expect(await last()).toMatchObject({ event: "resolved", error: "It answered 404." });
  });

  test("a silence keeps it quiet and says why; what outlasts it is told", async () => {
    const runId = await makeRun();
    const { id: ruleId } = await rule();
    await listen();
    const { id } = await api().alert.silence({ project, ruleId, minutes: 60, reason: "upgrade" });
    await log(runId, [9]);
    await judge(runId);
    expect((await list()).alerts).toEqual([]);
    expect((await list("silenced")).alerts[0]).toMatchObject({ silenced: "upgrade" });
    expect(receiver.bodies).toEqual([]);
    await api().alert.endSilence({ project, id });
    await judge(runId);
    await until(() => receiver.bodies.length === 1);
    expect((await list()).open).toBe(1);
    // A silence over what is known already is for what comes: nobody hears that it is over.
    await api().alert.silence({ project, minutes: 60, reason: "known" });
    await log(runId, [1], 2);
    await judge(runId);
    await judge(runId);
    expect((await list("history")).alerts[0]).toMatchObject({ silenced: "known" });
    expect((await list("history")).alerts[0]?.deliveries).toHaveLength(1);
  });

  test("a rule is for the runs that it names, and not for those that ended before it", async () => {
    const [one, other, old] = [
      await makeRun("abl-1"),
      await makeRun("main"),
      await makeRun("abl-0"),
    ];
    await moveRun(control.ctx, old, { to: "failed", reason: null, actor: "t" });
    await rule({ kind: "status", statuses: ["failed"] }, { runs: "abl" });
    for (const id of [one, other])
      await moveRun(control.ctx, id, { to: "failed", reason: null, actor: "t" });
    await judgeAlerts(control.ctx, [one, other, old]);
    expect((await list()).alerts.map(({ run }) => run.id)).toEqual([one]);
  });

  test("what is dismissed, changed, switched off or ended is over", async () => {
    const runId = await makeRun();
    const { id } = await rule();
    await log(runId, [9]);
    await judge(runId);
    const [fired] = (await list()).alerts;
    await api().alert.dismiss({ project, id: fired?.id ?? 0 });
    await judge(runId);
    expect(await list()).toMatchObject({ open: 0, alerts: [] });
    await expect(api().alert.dismiss({ project, id: fired?.id ?? 0 })).rejects.toThrow(/over/);
    await rule(HIGH, { id, name: "Renamed" });
    await judge(runId);
    expect((await list()).alerts[0]).toMatchObject({ ruleName: "Renamed" });
    await rule(HIGH, { id, enabled: false });
    expect((await list("history")).alerts[0]?.resolvedWhy).toBe("its rule was changed");
    await rule(HIGH, { id });
    await judge(runId);
    await moveRun(control.ctx, runId, { to: "succeeded", reason: null, actor: "t" });
    await judge(runId);
    await judge(runId);
    expect((await list("history")).alerts[0]?.resolvedWhy).toBe("the run succeeded");
    await api().alert.removeRule({ project, id });
    expect((await list("history")).alerts).toHaveLength(3);
    await expect(api().alert.removeRule({ project, id })).rejects.toThrow(/somebody removed it/);
  });

  test("an address inside is refused at once, and a test says how it went", async () => {
    control.ctx.config.webhookAllow = [];
    await expect(listen()).rejects.toThrow(/LIVERL_WEBHOOK_ALLOW=127.0.0.1/);
    control.ctx.config.webhookAllow = ["127.0.0.1"];
    const { id } = await listen();
    expect(await api().alert.testReceiver({ project, id })).toMatchObject({ status: "delivered" });
    expect(receiver.bodies[0]).toMatchObject({ event: "test", run: null });
    // The operator took it from the list again.
    control.ctx.config.webhookAllow = [];
    expect(await api().alert.testReceiver({ project, id })).toMatchObject({ status: "failed" });
    const { receivers } = await api().alert.receivers({ project });
    expect(receivers[0]).toMatchObject({
      host: new URL(receiver.url).origin,
      fault: expect.stringContaining("not on the internet"),
      last: { event: "test", status: "failed" },
    });
    expect(JSON.stringify(receivers)).not.toContain("/hook");
    control.ctx.config.webhookAllow = ["127.0.0.1"];
  });

  test("runs are looked at by themselves as they change", async () => {
    const runId = await makeRun();
    await rule();
    const watching = new AbortController();
    const watch = watchAlerts(control.ctx, watching.signal);
    await log(runId, [9]);
    await until(async () => (await list()).open === 1);
    await log(runId, [1], 2);
    await until(async () => (await list()).open === 0);
    watching.abort();
    await watch;
  });

  test("thresholds are a project's own, and verdicts heed them at once", async () => {
    const runId = await makeRun();
    const key = "training/rollout_probs_diff_mean";
    await control.ctx.ingest.append(
      runId,
      [18, 19, 20].map((step) => ({ step, wallMs: Date.now(), values: { [key]: 0.02 } })),
    );
    await control.ctx.ingest.settle();
    const ids = async () => (await api().run.verdict({ id: runId })).advisories.map(({ id }) => id);
    await until(async () => (await ids()).includes("rollout-mismatch"));
    expect((await api().run.get({ id: runId })).verdict).toEqual(
      await api().run.verdict({ id: runId }),
    );
    await api().threshold.set({ project, id: "probs-diff", warn: 0.03, bad: 0.05 });
    expect(await ids()).toEqual([]);
    const { thresholds } = await api().threshold.list({ project });
    expect(thresholds.find(({ id }) => id === "probs-diff")).toMatchObject({
      ...{ warn: 0.03, bad: 0.05, isChanged: true, actor: "test" },
    });
    expect(thresholds.filter(({ isChanged }) => isChanged)).toHaveLength(1);
    await expect(
      api().threshold.set({ project, id: "probs-diff", warn: 0.03, bad: 0.01 }),
    ).rejects.toThrow(/make it larger/);
    await expect(
      api().threshold.set({ project, id: "invalid", warn: 5, bad: null }),
    ).rejects.toThrow(/0.05/);
    await api().threshold.reset({ project });
    expect(await ids()).toEqual(["rollout-mismatch"]);
  });
});
