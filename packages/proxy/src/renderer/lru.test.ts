import { expect, it } from "vitest";
import { Lru } from "#renderer/lru.ts";

const lruOf = (maxEntries: number, maxWeight: number) =>
  new Lru<number[]>({ maxEntries, maxWeight, weigh: (ids) => 8 * ids.length });

it("forgets what was not used for longest when there are too many", () => {
  const lru = lruOf(2, 1_000);
  lru.set("a", [1]);
  lru.set("b", [2]);
  lru.get("a");
  lru.set("c", [3]);
  expect([lru.get("a"), lru.get("b"), lru.get("c")]).toEqual([[1], undefined, [3]]);
});

it("forgets as many as make room for a heavy one, and keeps none that is too heavy alone", () => {
  const lru = lruOf(100, 40);
  for (const key of ["a", "b", "c"]) lru.set(key, [1]);
  // Again: what it replaces weighs no more.
  lru.set("c", [1]);
  expect(lru.get("a")).toEqual([1]);
  lru.set("d", [1, 2, 3]);
  expect([lru.get("b"), lru.get("c"), lru.get("a"), lru.get("d")]).toEqual([
    undefined,
    undefined,
    [1],
    [1, 2, 3],
  ]);
  lru.set("e".repeat(41), []);
  expect([lru.get("d"), lru.get("e".repeat(41))]).toEqual([undefined, undefined]);
});
