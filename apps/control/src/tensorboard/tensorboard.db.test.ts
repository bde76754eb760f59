import { appendFile, copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readSeries } from "#metrics/read-series.ts";
import { attachRun } from "#runs/attach-run.ts";
import { stopRun } from "#runs/stop-run.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { until } from "#testing/until.ts";

const FIXTURE = new URL("./__fixtures__/tensorboardx.tfevents", import.meta.url);
const TENSORS = new URL("./__fixtures__/tensors.tfevents", import.meta.url);

describe("a folder of TensorBoard's event files", () => {
  let control: TestControl;
  let count = 0;
  beforeAll(async () => {
    control = await buildTestContext();
  });
  afterAll(() => control.close());

  const folder = async () => {
    const path = join(control.ctx.config.dataDir, `events-${count++}`);
    await mkdir(path);
    return path;
  };
  const attach = (path: string) =>
    attachRun(control.ctx, { project: "tests", name: "tb", path, source: "tensorboard" });
  const stored = async (runId: string, key: string) =>
    (await readSeries(control.ctx.pool, { runId, keys: [key], buckets: 4000 })).series[0];
  const settled = (runId: string, key: string, points: number) =>
    until(async () => {
      const series = await stored(runId, key);
      return series && series.step.length >= points ? series : null;
    });

  test("is read while it is written, byte by byte if need be, over a restart, and later files win", async () => {
    const path = await folder();
    const bytes = await readFile(FIXTURE);
    const first = join(path, "events.out.tfevents.1700000000.host");
    await writeFile(first, bytes.subarray(0, 101));
    const { id } = await attach(path);
    for (let at = 101; at < bytes.length; at += 700) {
      await appendFile(first, bytes.subarray(at, at + 700));
      if (at < 1600) await new Promise((resolve) => setTimeout(resolve, 60));
      if (at === 801) await control.restartIngest();
    }
    const loss = await settled(id, "actor/loss", 40);
    expect(loss.value).toEqual(Array.from({ length: 40 }, (_, s) => Math.fround(1 / (s + 1))));
    expect(loss.wallMs[7]).toBe(1_700_000_007_000);
    expect((await stored(id, "critic/score/mean"))?.flag[3]).toBe(1);
    // A trainer that was started again writes a file of its own.
    await copyFile(TENSORS, join(path, "events.out.tfevents.1700009999.host"));
    await settled(id, "loss", 10);
    const events = await control.ctx.db.runEvent.count({ where: { runId: id, kind: "alert" } });
    expect(events).toBe(0);
    await stopRun(control.ctx, { id, when: "now" });
    const active = await control.ctx.db.ingestSource.count({ where: { runId: id, active: true } });
    expect(active).toBe(0);
  });

  test("a record whose sum is wrong holds its file back, is told once, and goes on when it is mended", async () => {
    const path = await folder();
    const bytes = await readFile(FIXTURE);
    const damaged = Buffer.from(bytes);
    const middle = Math.floor(bytes.length / 4);
    damaged[middle] = (damaged[middle] ?? 0) ^ 0xff;
    const file = join(path, "events.out.tfevents.1.host");
    await writeFile(file, damaged);
    const { id } = await attach(path);
    const alert = await until(() =>
      control.ctx.db.runEvent.findFirst({ where: { runId: id, kind: "alert" } }),
    );
    expect(alert.message).toContain("checksum is wrong");
    const before = (await stored(id, "actor/loss"))?.step.length ?? 0;
    expect(before).toBeGreaterThan(5);
    expect(before).toBeLessThan(40);
    await writeFile(file, bytes);
    await settled(id, "actor/loss", 40);
    expect(await control.ctx.db.runEvent.count({ where: { runId: id, kind: "alert" } })).toBe(1);
  });

  test("what is not such a folder is refused with what to do", async () => {
    const empty = await folder();
    const outer = await folder();
    await mkdir(join(outer, "run-a"));
    await copyFile(FIXTURE, join(outer, "run-a", "events.out.tfevents.1.h"));
    await expect(attach("relative")).rejects.toMatchObject({
      userMessage: expect.stringContaining("absolute"),
    });
    await expect(attach(join(empty, "none"))).rejects.toMatchObject({
      userMessage: expect.stringContaining("not a folder"),
    });
    await expect(attach(empty)).rejects.toMatchObject({
      userMessage: expect.stringContaining('names have "tfevents"'),
    });
    await expect(attach(outer)).rejects.toMatchObject({
      userMessage: expect.stringContaining("attach run-a of"),
    });
    await attach(join(outer, "run-a"));
    await expect(attach(join(outer, "run-a"))).rejects.toMatchObject({ code: "CONFLICT" });
  });
});
