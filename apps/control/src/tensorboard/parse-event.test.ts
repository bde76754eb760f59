import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { MetricValue } from "#metrics/ingest.ts";
import { parseEvent } from "#tensorboard/parse-event.ts";
import { splitRecords } from "#tensorboard/split-records.ts";

const fixture = (name: string) =>
  readFile(new URL(`./__fixtures__/${name}.tfevents`, import.meta.url));

function scalarsOf(
  bytes: Buffer,
): Map<string, [step: number, value: MetricValue, wallMs: number][]> {
  const byTag = new Map<string, [number, MetricValue, number][]>();
  const { records, rest } = splitRecords(bytes);
  expect(rest).toBe("none");
  for (const { data } of records) {
    const { step, wallMs, values } = parseEvent(data);
    for (const [tag, value] of Object.entries(values))
      byTag.set(tag, [...(byTag.get(tag) ?? []), [step, value, wallMs]]);
  }
  return byTag;
}

describe("events that TensorBoard's own writers wrote", () => {
  test("simple values of tensorboardX; text and histograms are no metrics", async () => {
    const scalars = scalarsOf(await fixture("tensorboardx"));
    expect([...scalars.keys()].sort()).toEqual(["actor/loss", "critic/score/mean", "inf"]);
    expect(scalars.get("actor/loss")).toEqual(
      Array.from({ length: 40 }, (_, s) => [
        s,
        Math.fround(1 / (s + 1)),
        1_700_000_000_000 + s * 1000,
      ]),
    );
    expect(scalars.get("critic/score/mean")?.[3]?.[1]).toBe("NaN");
    expect(scalars.get("inf")).toEqual([[5, "-Infinity", 1_700_000_005_000]]);
  });

  test("tensors of TensorBoard's library, in each number type", async () => {
    const scalars = scalarsOf(await fixture("tensors"));
    const steps = Array.from({ length: 10 }, (_, s) => s);
    const valuesOf = (tag: string) => scalars.get(tag)?.map(([, value]) => value);
    expect([...scalars.keys()].sort()).toEqual([
      "content",
      "float16",
      "float64",
      "int32",
      "int64",
      "loss",
    ]);
    expect(valuesOf("loss")).toEqual(steps.map((s) => s / 4));
    expect(valuesOf("content")).toEqual(steps.map((s) => s + 0.25));
    for (const tag of ["float16", "float64", "int32", "int64"])
      expect(valuesOf(tag), tag).toEqual(steps.map((s) => s + 1));
  });
});

describe("bytes that are damaged", () => {
  test("a file cut anywhere gives the whole records before the cut, and waits for the rest", async () => {
    const bytes = await fixture("tensorboardx");
    const { records } = splitRecords(bytes);
    for (let end = 0; end < bytes.length; end += 7) {
      const cut = splitRecords(bytes.subarray(0, end));
      expect(cut.records.length).toBe(
        records.filter(({ offset, data }) => offset + data.length + 16 <= end).length,
      );
      expect(cut.rest).toBe(cut.consumed === end ? "none" : "more");
    }
  });

  test("a flipped bit anywhere is found, and no event is misread", async () => {
    const bytes = (await fixture("tensorboardx")).subarray(0, 1200);
    const sound = splitRecords(bytes);
    for (let at = 0; at < sound.consumed; at += 3) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 0x10;
      const { records, rest } = splitRecords(flipped);
      expect(rest).not.toBe("none");
      expect(records.length).toBeLessThan(sound.records.length);
      for (const [i, { data }] of records.entries()) expect(data).toEqual(sound.records[i]?.data);
    }
  });

  test("bytes that are no message throw a RangeError, whatever they are", () => {
    let seed = 11;
    for (let turn = 0; turn < 3000; turn++) {
      const bytes = Buffer.from(
        Array.from({ length: turn % 60 }, () => {
          seed = (seed * 48_271) % 2_147_483_647;
          return seed & 0xff;
        }),
      );
      try {
        parseEvent(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }
  });
});
