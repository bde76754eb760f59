import { expect, test } from "vitest";
import { isGoneEngine } from "#cluster/is-gone-engine.ts";

const runs = [
  { id: "done-01", hasEnded: true },
  { id: "live-01", hasEnded: false },
];

test.each([
  ["away", "done-01", true],
  ["up", "done-01", false],
  ["away", "live-01", false],
  ["away", "of-nobody", false],
] as const)("an engine that is %s of %s: gone %s", (state, poolId, isGone) => {
  expect(isGoneEngine({ state, poolId }, runs)).toBe(isGone);
});
