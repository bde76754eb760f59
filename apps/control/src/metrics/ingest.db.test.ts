import { execFileSync } from "node:child_process";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import type { SeriesBuckets } from "@liverl/contract/metric";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { foldBatch } from "#metrics/fold-batch.ts";
import { readSeries } from "#metrics/read-series.ts";
import { attachRun } from "#runs/attach-run.ts";
import { buildTestContext, type TestControl } from "#testing/build-test-context.ts";
import { until } from "#testing/until.ts";

const fixture = (name: string) =>
  readFile(new URL(`./__fixtures__/${name}.jsonl`, import.meta.url), "utf8");

interface Row {
  step: number;
  data: Record<string, number | null>;
}
/** What a reader of the file would hold at the end: the last write of each (key, step). */
function expected(text: string): Map<string, Map<number, number | null>> {
  const keys = new Map<string, Map<number, number | null>>();
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const { step, data } = JSON.parse(line) as Row;
    for (const [key, value] of Object.entries(data))
      keys.set(key, (keys.get(key) ?? new Map()).set(step, value));
  }
  return keys;
}

describe("ingest", () => {
  let control: TestControl;
  beforeAll(async () => {
    control = await buildTestContext();
  });
  afterAll(() => control.close());

  const attach = async (name: string, text: string) => {
    const path = join(control.ctx.config.dataDir, `${name}.jsonl`);
    await writeFile(path, text);
    const { id } = await attachRun(control.ctx, { project: "tests", name, path });
    return { id, path };
  };
  const stored = async (runId: string, key: string) => {
    const { series } = await readSeries(control.ctx.pool, { runId, keys: [key], buckets: 4000 });
    return series[0];
  };
  const settled = (runId: string, key: string, points: number) =>
    until(async () => ((await stored(runId, key))?.step.length ?? 0) >= points);

  test.each(["fa1", "sync1"])(
    "takes verl's file %s over, rows of a step united by key, the last write of a step kept",
    async (name) => {
      const text = await fixture(name);
      const { id } = await attach(name, text);
      const keys = expected(text);
      const [, longest] = [...keys].sort(([, a], [, b]) => b.size - a.size)[0] ?? [];
      await settled(
        id,
        [...keys].sort(([, a], [, b]) => b.size - a.size)[0]?.[0] ?? "",
        longest?.size ?? 0,
      );
      expect(keys.size).toBeGreaterThan(50);
      const names = [...keys.keys()];
      const answers = new Map<string, SeriesBuckets>();
      for (let from = 0; from < names.length; from += 64) {
        const { series } = await readSeries(control.ctx.pool, {
          runId: id,
          keys: names.slice(from, from + 64),
          buckets: 4000,
        });
        for (const one of series) answers.set(one.key, one);
      }
      for (const [key, steps] of keys) {
        const series = answers.get(key);
        const sorted = [...steps].sort(([a], [b]) => a - b);
        expect(series?.step, key).toEqual(sorted.map(([step]) => step));
        expect(series?.value, key).toEqual(sorted.map(([, value]) => value));
        expect(series?.flag, key).toEqual(sorted.map(([, value]) => (value === null ? 1 : 0)));
      }
    },
  );

  test("loses and repeats nothing when it is stopped in the middle of a file, also in the middle of a line", async () => {
    const lines = Array.from(
      { length: 600 },
      (_, step) => `${JSON.stringify({ step, data: { loss: step / 7, other: -step } })}\n`,
    );
    const text = lines.join("");
    const cut = Math.floor(text.length / 2) + 3;
    const { id, path } = await attach("restarted", text.slice(0, cut));
    await settled(id, "loss", 250);
    await control.restartIngest();
    await appendFile(path, text.slice(cut));
    await settled(id, "loss", 600);
    const series = await stored(id, "loss");
    expect(series?.step).toEqual(lines.map((_, step) => step));
    expect(series?.value).toEqual(lines.map((_, step) => step / 7));
    const key = await control.ctx.db.series.findUniqueOrThrow({
      where: { runId_key: { runId: id, key: "loss" } },
    });
    expect(key).toMatchObject({ points: 600, lastStep: 599, last: 599 / 7 });
  });

  test("more records at once than memory holds are folded from the journal, each once and in their order", async () => {
    const { id } = await attach("many", "");
    const appends = Array.from({ length: 2_500 }, (_, i) =>
      control.ctx.ingest.append(id, [
        { step: Math.floor(i / 2), wallMs: i, values: { twice: i, [`key-${i % 7}`]: i } },
      ]),
    );
    await Promise.all(appends);
    await control.ctx.ingest.settle();
    const series = await stored(id, "twice");
    expect(series?.value).toEqual(Array.from({ length: 1_250 }, (_, step) => 2 * step + 1));
    expect(series?.n.every((n) => n === 1)).toBe(true);
  });

  test("reads a file that was truncated and written anew from its start, values replacing the older ones", async () => {
    const row = (step: number, value: number) =>
      `${JSON.stringify({ step, data: { reward: value } })}\n`;
    const { id, path } = await attach(
      "rewritten",
      [1, 2, 3].map((step) => row(step, 0.1)).join(""),
    );
    await settled(id, "reward", 3);
    // verl opens its file with "wb" on a resume; here the new content is even longer than the old.
    await writeFile(path, [1, 2, 3, 4, 5].map((step) => row(step, 0.9)).join(""));
    await settled(id, "reward", 5);
    expect((await stored(id, "reward"))?.value).toEqual([0.9, 0.9, 0.9, 0.9, 0.9]);
    expect(await control.ctx.db.ingestSource.findFirst({ where: { runId: id } })).toMatchObject({
      generation: 1,
    });
  });

  test("keeps what is not finite as flags, also as Python's json writes it", async () => {
    const { id } = await attach(
      "odd",
      '{"step":1,"data":{"a":NaN,"b":-Infinity,"c":"Infinity","d":null,"e":1e300}}\n{"step":2,"data":{"a":2}}\n',
    );
    await settled(id, "a", 2);
    const flags = await Promise.all(
      ["a", "b", "c", "d", "e"].map(async (key) => (await stored(id, key))?.flag[0]),
    );
    expect(flags).toEqual([1, 3, 2, 1, 0]);
    expect((await stored(id, "a"))?.value).toEqual([null, 2]);
  });

  test("counts lines that it can not read and says so as an event, once", async () => {
    const { id, path } = await attach("broken", '{"step":1,"data":{"x":1}}\n');
    await appendFile(
      path,
      '{"step":2,"da\nnot json\n{"step":"3","data":{}}\n{"step":4,"data":{"x":4}}\n',
    );
    await settled(id, "x", 2);
    await control.restartIngest();
    const events = await control.ctx.db.runEvent.findMany({ where: { runId: id, kind: "alert" } });
    expect(events).toHaveLength(1);
    expect(events[0]?.message).toMatch(/^3 lines .* the first at byte 26: not a JSON object$/);
  });

  test("refuses to attach what is not a metrics file", async () => {
    const path = join(control.ctx.config.dataDir, "text.jsonl");
    await writeFile(path, "hello\n");
    await expect(attachRun(control.ctx, { project: "tests", name: "text", path })).rejects.toThrow(
      AppError,
    );
    await expect(
      attachRun(control.ctx, { project: "tests", name: "none", path: "/nowhere/at/all" }),
    ).rejects.toThrow(AppError);
    await expect(
      attachRun(control.ctx, { project: "tests", name: "relative", path: "text.jsonl" }),
    ).rejects.toThrow(AppError);
    const pipe = join(control.ctx.config.dataDir, "pipe");
    execFileSync("mkfifo", [pipe]);
    await expect(
      attachRun(control.ctx, { project: "tests", name: "pipe", path: pipe }),
    ).rejects.toThrow(AppError);
  });

  test("serves long series from roll-ups with the same buckets that the points give", async () => {
    const runId = "long";
    const count = 9_000;
    const value = (step: number) => Math.sin(step / 50) * 100 + (step % 7);
    for (let from = 0; from < count; from += 1_500) {
      await control.ctx.ingest.append(
        runId,
        Array.from({ length: 1_500 }, (_, i) => ({
          step: from + i,
          wallMs: from + i,
          values: { y: value(from + i) },
        })),
      );
    }
    await until(
      async () =>
        (await control.ctx.db.series.findUnique({ where: { runId_key: { runId, key: "y" } } }))
          ?.points === count,
    );
    // An old step written again changes its bucket at every level.
    await control.ctx.ingest.append(runId, [{ step: 300, wallMs: 1, values: { y: 5_000 } }]);
    await until(
      async () =>
        (await readSeries(control.ctx.pool, { runId, keys: ["y"], range: [300, 300], buckets: 10 }))
          .series[0]?.value[0] === 5_000,
    );
    for (const buckets of [20, 100, 700]) {
      const { bucketSteps, series } = await readSeries(control.ctx.pool, {
        runId,
        keys: ["y"],
        buckets,
      });
      const [answer] = series;
      expect(Math.log2(bucketSteps) % 1).toBe(0);
      expect(answer?.step.length).toBeLessThanOrEqual(buckets);
      expect(answer?.n.reduce((a, b) => a + b, 0)).toBe(count);
      const at = (step: number) => (step === 300 ? 5_000 : value(step));
      for (const [i, last] of (answer?.step ?? []).entries()) {
        const from = Math.floor(last / bucketSteps) * bucketSteps;
        const points = Array.from({ length: last - from + 1 }, (_, j) => at(from + j));
        expect(answer?.min[i]).toBe(Math.min(...points));
        expect(answer?.max[i]).toBe(Math.max(...points));
        expect(answer?.value[i]).toBe(at(last));
      }
    }
  });

  test("a record that PostgreSQL can not take holds up no other, and is told to those who watch its run", async () => {
    const { ctx } = control;
    await Promise.all([
      ctx.ingest.append("bad", [{ step: 1, wallMs: 1, values: { "a\0b": 1 } }]),
      ctx.ingest.append("good", [{ step: 1, wallMs: 1, values: { a: 1 } }]),
    ]);
    await settled("good", "a", 1);

    const { id, path } = await attach("unstorable", '{"step":1,"data":{"x":1}}\n');
    await settled(id, "x", 1);
    await control.stopIngest();
    const source = await ctx.db.ingestSource.findFirstOrThrow({ where: { path } });
    const { rows } = await ctx.pool.query("SELECT folded_seq FROM ingest_state");
    const record = (seq: number, key: string) => ({
      seq: Number(rows[0].folded_seq) + seq,
      record: {
        kind: "file" as const,
        sourceId: source.id,
        runId: id,
        place: { position: 100 * seq, generation: 0, tail: "" },
        lines: [{ step: 2, wallMs: 1, values: { [key]: 1 } }],
        faults: [],
        faultCount: 0,
      },
    });
    const outcomes = [];
    for await (const outcome of foldBatch(ctx.pool, [record(1, "y\0"), record(2, "z")]))
      outcomes.push(outcome);
    expect(outcomes.map(({ eventIds }) => eventIds.length)).toEqual([1, 0]);
    expect((await stored(id, "z"))?.step).toEqual([2]);
    expect(await ctx.db.runEvent.findFirst({ where: { runId: id, kind: "alert" } })).toMatchObject({
      message: expect.stringContaining("could not be stored"),
    });
    expect(await ctx.db.ingestSource.findUnique({ where: { id: source.id } })).toMatchObject({
      position: 200n,
    });
  });
});
