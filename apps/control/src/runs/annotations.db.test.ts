import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { annotateRun } from "#runs/annotate-run.ts";
import { deleteAnnotation } from "#runs/delete-annotation.ts";
import { listRunEvents } from "#runs/list-run-events.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";
import { type RunFrame, watchRuns } from "#runs/watch-runs.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { until } from "#testing/until.ts";

describe("annotations", () => {
  let control: TestControl;
  const id = "noted-01";
  const events = async () => (await listRunEvents(control.ctx, { id })).events;
  beforeAll(async () => {
    control = await buildTestContext();
    await control.ctx.db.run.create({
      data: {
        id,
        project: "tests",
        name: "noted",
        status: "running",
        driver: "attached",
        color: 1,
      },
    });
  });
  afterAll(() => control.close());

  test("an annotation is an event with its author and step; others hear of it and of its end", async () => {
    const stop = new AbortController();
    const seen: RunFrame[] = [];
    const watching = (async () => {
      for await (const [, frame] of watchRuns(control.ctx, { id }, stop.signal)) seen.push(frame);
    })();
    await until(() => seen.length > 0);
    await annotateRun(control.ctx, { id, step: 12, text: "lr halved by hand" });
    await until(() => seen.some((frame) => frame.kind === "event"));
    const [note] = await events();
    expect(note).toMatchObject({
      kind: "annotation",
      step: 12,
      actor: "test",
      message: "lr halved by hand",
    });
    await deleteAnnotation(control.ctx, { id, eventId: note?.id ?? 0 });
    await until(() => seen.some((frame) => frame.kind === "event-gone"));
    expect(seen).toContainEqual({ kind: "event-gone", runId: id, eventId: note?.id });
    expect(await events()).toEqual([]);
    stop.abort();
    await watching;
  });

  test("an old annotation is listed, however much happened since", async () => {
    await annotateRun(control.ctx, { id, step: 2, text: "long ago" });
    for (const message of ["one", "two", "three"])
      await recordRunEvent(control.ctx, id, { kind: "status", actor: "test", message });
    const { events: listed } = await listRunEvents(control.ctx, { id, limit: 2 });
    expect(listed.map(({ message }) => message)).toEqual(["long ago", "two", "three"]);
    await control.ctx.db.runEvent.deleteMany({ where: { runId: id } });
  });

  test("what happened to the run can not be deleted, nor what another run says", async () => {
    await recordRunEvent(control.ctx, id, {
      kind: "crash",
      actor: "trainer",
      message: "out of memory",
    });
    await annotateRun(control.ctx, { id, step: 1, text: "mine" });
    const [crash, note] = await events();
    await expect(deleteAnnotation(control.ctx, { id, eventId: crash?.id ?? 0 })).rejects.toThrow(
      /no such/,
    );
    await expect(
      deleteAnnotation(control.ctx, { id: "another", eventId: note?.id ?? 0 }),
    ).rejects.toThrow(/no such/);
    expect(await events()).toHaveLength(2);
    await expect(annotateRun(control.ctx, { id: "none", step: 1, text: "x" })).rejects.toThrow(
      /no run/,
    );
  });
});
