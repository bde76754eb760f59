import { MetricsView } from "@liverl/contract/metrics-view";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { launchSpec } from "#testing/factories.ts";
import { deleteView } from "#views/delete-view.ts";
import { listViews } from "#views/list-views.ts";
import { saveView } from "#views/save-view.ts";
import { shippedViews } from "#views/shipped-views.ts";

const state = (change: Partial<MetricsView> = {}) => MetricsView.parse(change);

describe("views of the metrics page", () => {
  let control: TestControl;
  const runId = "seen-01";
  const list = () => listViews(control.ctx, { project: "tests", runId });
  beforeAll(async () => {
    control = await buildTestContext();
    await control.ctx.db.run.create({
      data: {
        id: runId,
        project: "tests",
        name: "seen",
        status: "running",
        driver: "embedded",
        spec: launchSpec(),
        color: 1,
      },
    });
  });
  afterAll(() => control.close());

  test("a saved view comes back as it was, for every run of its project and none of another", async () => {
    const wished = state({ pins: ["b", "a"], isLog: true, smoothing: 0.6, closed: ["perf"] });
    const saved = await saveView(control.ctx, { project: "tests", name: " Mine ", state: wished });
    expect(saved).toMatchObject({ author: "test", state: wished });
    expect((await list()).saved).toEqual([saved]);
    expect((await listViews(control.ctx, { project: "other", runId })).saved).toEqual([]);
  });

  test("a name stands once in a project; a view is replaced by its id", async () => {
    const first = await saveView(control.ctx, { project: "tests", name: "one", state: state() });
    await expect(
      saveView(control.ctx, { project: "tests", name: "one", state: state() }),
    ).rejects.toThrow(/has a view called/);
    const { id } = first;
    const next = { id, project: "tests", name: "two", state: state({ x: "wall" }) };
    expect(await saveView(control.ctx, next)).toMatchObject({
      id,
      name: "two",
      state: { x: "wall" },
    });
    await expect(saveView(control.ctx, { ...next, project: "other" })).rejects.toThrow(/deleted/);
    await deleteView(control.ctx, { id });
    await expect(deleteView(control.ctx, { id })).rejects.toThrow(/deleted/);
    await expect(saveView(control.ctx, next)).rejects.toThrow(/deleted/);
    expect((await list()).saved.map((view) => view.id)).not.toContain(id);
  });

  test("of two who change one view at once the second hears of the first", async () => {
    const seen = await saveView(control.ctx, { project: "tests", name: "both", state: state() });
    const next = { id: seen.id, project: "tests", name: "both", seenAt: seen.updatedAt };
    await saveView(control.ctx, { ...next, state: state({ smoothing: 0.9 }) });
    await expect(saveView(control.ctx, { ...next, state: state({ isLog: true }) })).rejects.toThrow(
      /was changed by somebody else meanwhile/,
    );
    expect((await list()).saved.find(({ id }) => id === seen.id)?.state.smoothing).toBe(0.9);
  });

  test("of two views that take one name at once one is told so", async () => {
    const [a, b] = await Promise.all(
      ["a", "b"].map((name) => saveView(control.ctx, { project: "tests", name, state: state() })),
    );
    const renamed = await Promise.allSettled(
      [a, b].map((view) =>
        saveView(control.ctx, { id: view!.id, project: "tests", name: "same", state: state() }),
      ),
    );
    const refused = renamed.flatMap((one) => (one.status === "rejected" ? String(one.reason) : []));
    expect(refused).toEqual([expect.stringMatching(/has a view called “same”/)]);
  });

  test("a state of another version of LiveRL is read as far as it is known", async () => {
    await control.ctx.db.savedView.create({
      data: {
        id: "v-old",
        project: "tests",
        name: "old",
        author: "a",
        state: { isLog: true, b: 1 },
      },
    });
    const old = (await list()).saved.find((view) => view.id === "v-old");
    expect(old?.state).toEqual(state({ isLog: true }));
  });

  test("the preset ships the default view, in the words of the run's own trainer", async () => {
    const keys = ["critic/score/mean", "val-core/repair/acc/mean@1", "fully_async/count/x"];
    const [first, ...others] = shippedViews(launchSpec(), keys);
    expect(first?.state.pins.slice(0, 2)).toEqual([
      "critic/score/mean",
      "val-core/repair/acc/mean@1",
    ]);
    expect(others.map(({ id }) => id)).toEqual(["lengths", "all"]);
    expect(shippedViews(null, keys).map(({ id }) => id)).toContain("async");
    expect((await list()).shipped[0]?.id).toBe("overview");
  });
});
