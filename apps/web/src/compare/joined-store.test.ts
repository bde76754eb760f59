import type { SeriesAnswer } from "@liverl/contract/metric";
import { expect, test, vi } from "vitest";
import { MetricStore } from "#charts/metric-store.ts";
import { JoinedStore, joinedKey } from "#compare/joined-store.ts";

const answer = (keys: string[], values: number[]): SeriesAnswer => ({
  cursor: "1",
  bucketSteps: 1,
  series: keys.map((key) => ({
    key,
    step: values.map((_, at) => at + 1),
    value: values,
    min: values,
    max: values,
    flag: values.map(() => 0),
    wallMs: values.map(() => 0),
    n: values.map(() => 1),
  })),
});

test("each run's series comes from its own store, and the steps span all of them", async () => {
  const read = vi.fn(async (keys: string[]) => answer(keys, [1, 2]));
  const longer = vi.fn(async (keys: string[]) => answer(keys, [3, 4, 5]));
  const joined = new JoinedStore(
    new Map([
      ["a", new MetricStore(read)],
      ["b", new MetricStore(longer)],
    ]),
  );
  const keys = [joinedKey("a", "x:y"), joinedKey("b", "x:y")];
  expect(joined.extent).toBeNull();
  const told = vi.fn();
  const stop = joined.watch(keys, told);
  await vi.waitFor(() => expect(joined.columns(keys[1] ?? "")?.length).toBe(3));
  expect(read).toHaveBeenCalledWith(["x:y"], null);
  expect(joined.columns(keys[0] ?? "")?.length).toBe(2);
  expect(joined.extent).toEqual([1, 3]);
  expect(joined.version(keys)).toBeGreaterThan(0);
  expect(joined.status(joinedKey("gone", "x"))).toBe("absent");
  expect(joined.columns(joinedKey("gone", "x"))).toBeNull();
  stop();
});
