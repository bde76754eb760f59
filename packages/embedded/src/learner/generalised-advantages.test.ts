import { expect, test } from "vitest";
import { generalisedAdvantages, whiten } from "#learner/generalised-advantages.ts";

test("with λ = 1 and γ = 1 the advantage is the reward less the value", () => {
  const { advantages, returns } = generalisedAdvantages([0.2, 0.5, 0.9], 1, { gamma: 1, lam: 1 });
  expect(advantages.map((each) => +each.toFixed(12))).toEqual([0.8, 0.5, 0.1]);
  expect(returns.map((each) => +each.toFixed(12))).toEqual([1, 1, 1]);
});

test("each term follows its formula, computed here by hand", () => {
  const { advantages, returns } = generalisedAdvantages([0.4, 0.6], 1, { gamma: 0.5, lam: 0.5 });
  // δ1 = 1 − 0.6; δ0 = 0.5 · 0.6 − 0.4, and a quarter of δ1 comes back.
  expect(advantages[1]).toBeCloseTo(0.4, 12);
  expect(advantages[0]).toBeCloseTo(-0.1 + 0.25 * 0.4, 12);
  expect(returns).toEqual([advantages[0] + 0.4, advantages[1] + 0.6]);
});

test("whitening is over all tokens of all sequences", () => {
  const lists = whiten([[1, 2], [6]]);
  const all = lists.flat();
  expect(all.reduce((a, b) => a + b, 0)).toBeCloseTo(0, 10);
  expect(all.reduce((sum, value) => sum + value ** 2, 0) / 2).toBeCloseTo(1, 6);
  expect(lists.map((list) => list.length)).toEqual([2, 1]);
  expect(whiten([[3]])).toEqual([[0]]);
});
