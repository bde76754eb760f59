import { expect, test } from "vitest";
import { KeptRecords } from "#metrics/kept-records.ts";

test("small records are kept by their number, large ones by their points, unfolded ones always", () => {
  const small = new KeptRecords();
  for (let seq = 1; seq <= 30_000; seq++) small.add(seq, 10);
  expect(small.oldest(30_000)).toBe(20_001);
  expect(small.oldest(15_000)).toBe(15_000);

  const large = new KeptRecords();
  for (let seq = 1; seq <= 100; seq++) large.add(seq, 200_000);
  expect(large.oldest(100)).toBe(76);
  expect(large.oldest(50)).toBe(50);
  // After a restart nothing is known of the older ones but their number.
  expect(new KeptRecords().oldest(12_000)).toBe(2_000);
});
