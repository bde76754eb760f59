import { expect, test } from "vitest";
import { shareBetween } from "#ui/share-between.ts";

test.each([
  [0, 10, 5, 0.5],
  [3, 3, 3, 0],
  [-1e308, 1e308, 1e308, 1],
  [-1.7e308, 1.7e308, 0, 0.5],
])("between %d and %d, %d stands at %d", (low, high, value, share) => {
  expect(shareBetween(low, high, value)).toBe(share);
});
