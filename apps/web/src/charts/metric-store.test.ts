import type { SeriesAnswer } from "@liverl/contract/metric";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MetricStore, splitKeys } from "#charts/metric-store.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

function answer(keys: string[], steps: number[], cursor = "c1", bucketSteps = 1): SeriesAnswer {
  return {
    bucketSteps,
    cursor,
    series: keys.map((key) => ({
      key,
      step: steps,
      value: steps.map((s) => s / 10),
      min: steps.map((s) => s / 10),
      max: steps.map((s) => s / 10),
      n: steps.map(() => 1),
      flag: steps.map(() => 0),
      wallMs: steps.map((s) => s),
    })),
  };
}
function frame(key: string, step: number, value: number) {
  return {
    cursor: "c2",
    series: { [key]: { step: [step], value: [value], flag: [0], wallMs: [step] } },
  };
}

test("panels that mount together cost one read, and the first answer's cursor starts the stream", async () => {
  const read = vi.fn(async (keys: string[]) => answer(keys, [1, 2]));
  const store = new MetricStore(read);
  store.watch(["a"], () => {});
  store.watch(["b", "c"], () => {});
  expect(store.cursor.get()).toBeNull();
  await vi.advanceTimersByTimeAsync(0);
  expect(read).toHaveBeenCalledOnce();
  expect(read.mock.calls[0]?.[0]).toEqual(["a", "b", "c"]);
  expect(store.cursor.get()).toBe("c1");
  expect(store.extent).toEqual([1, 2]);
});

test("a frame that overtakes the read is not lost", async () => {
  let arrive: (value: SeriesAnswer) => void = () => {};
  const store = new MetricStore(() => new Promise((resolve) => (arrive = resolve)));
  store.watch(["a"], () => {});
  await vi.advanceTimersByTimeAsync(0);
  store.apply(frame("a", 3, 0.9));
  arrive(answer(["a"], [1, 2]));
  await vi.advanceTimersByTimeAsync(0);
  const columns = store.columns("a");
  expect(columns?.length).toBe(3);
  expect(columns?.value[2]).toBe(0.9);
});

test("an answer older than where the stream began is asked for again", async () => {
  const held: ((value: SeriesAnswer) => void)[] = [];
  const store = new MetricStore(() => new Promise((resolve) => held.push(resolve)));
  store.watch(["late"], () => {});
  await vi.advanceTimersByTimeAsync(0);
  store.watch(["early"], () => {});
  await vi.advanceTimersByTimeAsync(0);
  held[1]?.(answer(["early"], [1, 2], "11"));
  await vi.advanceTimersByTimeAsync(0);
  expect(store.cursor.get()).toBe("11");
  held[0]?.(answer(["late"], [1], "10"));
  await vi.advanceTimersByTimeAsync(0);
  expect(store.status("late")).toBe("loading");
  held[2]?.(answer(["late"], [1, 2], "11"));
  await vi.advanceTimersByTimeAsync(0);
  expect(store.columns("late")?.length).toBe(2);
});

test("listeners hear the first frame at once and a burst at most five times a second", async () => {
  const store = new MetricStore(async (keys) => answer(keys, [1]));
  const heard = vi.fn();
  store.watch(["a"], heard);
  await vi.advanceTimersByTimeAsync(5_000);
  heard.mockClear();
  store.apply(frame("a", 2, 0.2));
  expect(heard).toHaveBeenCalledTimes(1);
  for (let step = 3; step < 103; step += 1) {
    store.apply(frame("a", step, 0.3));
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(heard.mock.calls.length).toBeLessThanOrEqual(7);
  await vi.advanceTimersByTimeAsync(400);
  expect(store.columns("a")?.length).toBe(102);
});

test("a failed read says so and can be tried again", async () => {
  let isUp = false;
  const store = new MetricStore(async (keys) => {
    if (!isUp) throw new Error("away");
    return answer(keys, [1]);
  });
  store.watch(["a"], () => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(store.status("a")).toBe("error");
  isUp = true;
  store.retry(["a"]);
  await vi.advanceTimersByTimeAsync(0);
  expect(store.status("a")).toBe("ready");
});

test("zooming reads again only where buckets are wide", async () => {
  const read = vi.fn(async (keys: string[]) =>
    answer(keys, [1, 2], "c", keys.includes("wide") ? 8 : 1),
  );
  const store = new MetricStore(read);
  store.watch(["wide"], () => {});
  await vi.advanceTimersByTimeAsync(0);
  store.watch(["fine"], () => {});
  await vi.advanceTimersByTimeAsync(0);
  read.mockClear();
  store.setRange([10, 20]);
  await vi.advanceTimersByTimeAsync(0);
  expect(read).toHaveBeenCalledExactlyOnceWith(["wide"], [10, 20]);
});

test("a key that nobody read yet is told of, once", () => {
  const store = new MetricStore(async (keys) => answer(keys, [1]));
  const unknown = vi.fn();
  store.onUnknownKeys(unknown);
  store.apply(frame("new/key", 1, 1));
  store.apply(frame("new/key", 2, 1));
  expect(unknown).toHaveBeenCalledOnce();
  store.apply(frame("newer/key", 2, 1));
  expect(unknown).toHaveBeenCalledTimes(2);
});

test("no read is too long for an address, and no key is lost", () => {
  const keys = Array.from({ length: 150 }, (_, index) => `a/${"long".repeat(index % 40)}/${index}`);
  const parts = splitKeys(keys);
  expect(parts.flat()).toEqual(keys);
  for (const part of parts) {
    expect(part.length).toBeLessThanOrEqual(64);
    expect(encodeURIComponent(JSON.stringify(part)).length).toBeLessThan(4_000);
  }
  expect(splitKeys([])).toEqual([]);
});
