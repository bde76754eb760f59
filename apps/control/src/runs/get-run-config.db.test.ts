import { afterAll, beforeAll, expect, test } from "vitest";
import { listPresets } from "#launch/list-presets.ts";
import { getRunConfig } from "#runs/get-run-config.ts";
import { insertRun } from "#runs/insert-run.ts";
import { launchRun } from "#runs/launch-run.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec, verlSpec } from "#testing/factories.ts";

let control: TestControl;
beforeAll(async () => {
  control = await buildTestContext();
});
afterAll(() => control.close());

let key = 0;
const launch = async (wish: Omit<Parameters<typeof launchRun>[1], "idempotencyKey">) =>
  (
    await launchRun(
      { ...control.ctx, actor: "test" },
      { ...wish, idempotencyKey: `config-test-${++key}` },
    )
  ).id;
async function valuesOf(runId: string, vs?: string) {
  const { values, ...rest } = await getRunConfig(control.ctx, { runId, vs });
  return { ...rest, at: new Map(values.map(({ path, ...value }) => [path, value])) };
}

test("a launch from a preset knows what it changed, also when presets change later", async () => {
  const [preset] = listPresets(control.ctx).presets;
  if (preset?.spec.driver !== "embedded") throw new Error("the first preset is embedded");
  const { spec, id, label } = preset;
  const changed = { ...spec, project: "tests", batch: { ...spec.batch, n: 3 } };
  const run = await launch({ spec: changed, base: { kind: "preset", id } });
  const { at, base } = await valuesOf(run);
  expect(base).toEqual({ kind: "preset", id, label });
  expect(at.get("batch.n")).toMatchObject({ value: 3, source: "override", was: spec.batch.n });
  expect(at.get("optim.lr")).toMatchObject({ value: spec.optim.lr, source: "preset" });
  const { at: against, vs } = await valuesOf(run, "base");
  expect(vs).toEqual({ label, runId: null });
  const changes = [...against].filter(([path, { differs }]) => differs && path !== "project");
  expect(changes.map(([path]) => path)).toEqual(["batch.n"]);
});

test("a clone has a parent, and either can be set against the other", async () => {
  const parent = await launch({ spec: launchSpec() });
  const child = await launch({
    spec: launchSpec({ optim: { lr: 0.5, grad_clip: 1, ppo_epochs: 1 } }),
    base: { kind: "run", id: parent },
  });
  const { at, vs } = await valuesOf(child, parent);
  expect(vs).toEqual({ label: "small", runId: parent });
  expect(at.get("optim.lr")).toEqual({
    ...{ value: 0.5, source: "override", was: 0.001, other: 0.001, differs: true },
  });
  expect(at.get("batch.n")).toMatchObject({ source: "parent", differs: false });
  // The parent was launched from nothing that is known.
  const { at: own, base } = await valuesOf(parent, child);
  expect(base).toBeNull();
  expect(own.get("optim.lr")).toEqual({
    ...{ value: 0.001, source: "override", other: 0.5, differs: true },
  });
  await expect(valuesOf(parent, "base")).rejects.toThrow(/without a preset or a parent/);
  await expect(valuesOf(parent, "nobody")).rejects.toThrow(/no run nobody/);
});

test("verl's own defaults are told from what a launch says", async () => {
  const run = await insertRun(control.ctx, {
    ...{ project: "tests", name: "verl", status: "failed", driver: "local-verl", tags: [] },
    spec: verlSpec("/venv", { batch: { ...verlSpec("/venv").batch, n: 77 } }),
  });
  const { at } = await valuesOf(run.id);
  expect(at.get("batch.n")?.source).toBe("override");
  expect([...at.values()].some(({ source }) => source === "default")).toBe(true);
});

test("what a trainer said of itself has no source, and what only the other has is there", async () => {
  const run = await insertRun(control.ctx, {
    ...{ project: "tests", name: "attached", status: "running", driver: "attached", tags: [] },
    config: { lr: 1, deep: { x: [1, 2] } },
  });
  const other = await launch({ spec: launchSpec() });
  const { at } = await valuesOf(run.id, other);
  expect(at.get("deep.x")).toEqual({ value: [1, 2], source: null, differs: true });
  expect(at.get("batch.n")).toEqual({ source: null, other: 4, differs: true });
});

test("a base that is not there is refused", async () => {
  const wish = { spec: launchSpec(), base: { kind: "preset", id: "none" } as const };
  await expect(launch(wish)).rejects.toThrow("There is no preset none.");
});
