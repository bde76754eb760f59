import { randomUUID } from "node:crypto";
import type { AlertCondition } from "@liverl/contract/alert";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addReceiver } from "#alerts/receivers.ts";
import { listRules, removeRule, saveRule } from "#alerts/rules.ts";
import { addSilence } from "#alerts/silences.ts";
import { listFilters, saveFilter } from "#filters/saved-filters.ts";
import { MOST_KEPT } from "#refuse-too-many.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { saveView } from "#views/save-view.ts";

const project = "tests";
const actor = "test";
const until = new Date(Date.now() + 3_600_000);
const condition: AlertCondition = {
  ...({ kind: "threshold", metric: "loss", side: "above", value: 5, steps: 1 } as const),
};
const rule = {
  project,
  name: "High loss",
  level: "warn",
  condition,
  runs: "",
  enabled: true,
} as const;
const state = {
  ...{ pins: [], q: "", x: "step", smoothing: 0, isLog: false, closed: [] },
} as never;
let control: TestControl;
const ids = () => Array.from({ length: MOST_KEPT }, () => randomUUID());

beforeAll(async () => {
  control = await buildTestContext();
  const { db } = control.ctx;
  await db.savedFilter.createMany({
    data: ids().map((name) => ({ project, target: "runs", name, filter: "step = 1", actor })),
  });
  await db.savedView.createMany({
    data: ids().map((id) => ({ id, project, name: id, author: actor, state: {} })),
  });
  await db.alertRule.createMany({ data: ids().map((id) => ({ ...rule, id, actor })) });
  await db.alertSilence.createMany({
    data: ids().map((id) => ({ id, project, reason: "r", actor, until })),
  });
  await db.alertReceiver.createMany({
    data: ids().map((id) => ({
      id,
      project,
      name: id,
      url: "https://a.b/",
      format: "json",
      actor,
    })),
  });
});
afterAll(() => control.close());

test("a project keeps so many filters, views, rules, silences and receivers, and no more", async () => {
  const { ctx } = control;
  const full = (what: string) => `${project} has ${MOST_KEPT} ${what}. Delete one`;
  const filter = { project, target: "runs", name: "one more", filter: "step = 1" } as const;
  await expect(saveFilter(ctx, filter)).rejects.toThrow(full("filters of this kind"));
  const view = { project, name: "one more", state };
  await expect(saveView(ctx, view)).rejects.toThrow(full("views"));
  await expect(saveRule(ctx, rule)).rejects.toThrow(full("rules"));
  const silence = { project, ruleId: null, runId: null, minutes: 5, reason: "more" };
  await expect(addSilence(ctx, silence)).rejects.toThrow(full("silences"));
  const receiver = {
    project,
    name: "more",
    url: "https://93.184.216.34/",
    format: "json",
  } as const;
  await expect(addReceiver(ctx, receiver)).rejects.toThrow(full("receivers"));
  // Another project, and what is there already, are not shut out.
  await saveFilter(ctx, { ...filter, project: "other" });
  const [first] = (await listFilters(ctx, filter)).filters;
  await saveFilter(ctx, { ...filter, name: first?.name ?? "", filter: "step = 2" });
  await ctx.db.alertSilence.updateMany({ data: { until: new Date(0) } });
  await addSilence(ctx, silence);
});

test("one name that two save at once is one view, and the other hears so", async () => {
  const view = { project: "at-once", name: "same", state };
  const both = await Promise.allSettled([
    saveView(control.ctx, view),
    saveView(control.ctx, view),
    saveView(control.ctx, view),
  ]);
  const refused = both.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
  expect(refused).toHaveLength(2);
  for (const words of refused) expect(words).toContain("has a view called “same”");
});

test("a rule is not removed in the name of another project, and its alerts stay open", async () => {
  const { ctx } = control;
  const { id } = await saveRule(ctx, { ...rule, project: "mine" });
  await ctx.db.run.create({
    data: {
      id: "mine-01",
      project: "mine",
      name: "mine",
      status: "running",
      driver: "attached",
      color: 1,
    },
  });
  await ctx.db.alert.create({
    data: {
      ...{ project: "mine", runId: "mine-01", ruleId: id, ruleName: "High loss", level: "warn" },
      ...{ title: "t", detail: "d" },
    },
  });
  await expect(removeRule(ctx, { project, id })).rejects.toThrow("There is no rule");
  expect((await listRules(ctx, { project: "mine" })).rules).toMatchObject([{ id, open: 1 }]);
});
