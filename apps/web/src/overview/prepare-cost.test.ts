import type { RunCost } from "@liverl/contract/cost";
import { expect, test } from "vitest";
import { prepareCost } from "#overview/prepare-cost.ts";

const COST: RunCost = {
  ...{ device: "gpu", devices: 8, deviceHours: 12.5, money: null },
  ...{ tokensSampled: 1_200_000, tokensPrompt: 38_200, tokensTrained: 2_000_000 },
  ...{ heldOutGain: 0.25, hoursPerPoint: 50, moneyPerPoint: null },
};
const inShort = (change: Partial<RunCost>) =>
  prepareCost({ ...COST, ...change }).map(({ label, value, below }) => [label, value, below]);

test("what was used, and what it gained", () => {
  expect(inShort({})).toEqual([
    ["GPU-hours", "12.5", "on 8 GPUs"],
    ["Tokens sampled", "1.20M", "38.2k in prompts"],
    ["Tokens trained on", "2.00M", "with their prompts"],
    ["Held-out gain", "+0.250", "reward"],
    ["Per reward point", "50", "GPU-hours"],
  ]);
});

test("a price stands in the place of hours", () => {
  const eur = (amount: number) => ({ amount, currency: "EUR" });
  const facts = inShort({ device: "cpu", money: eur(1234.5), moneyPerPoint: eur(0.004) });
  expect(facts[0]).toEqual(["CPU-hours", "12.5", "1,235 EUR"]);
  expect(facts[4]).toEqual(["Per reward point", "50", "< 0.01 EUR"]);
});

test("what was not measured is not a number", () => {
  const nothing = inShort({ heldOutGain: null, hoursPerPoint: null, tokensTrained: null });
  expect(nothing.slice(2)).toEqual([
    ["Tokens trained on", "—", "not logged"],
    ["Held-out gain", "—", "not measured"],
    ["Per reward point", "—", "not measured"],
  ]);
  expect(inShort({ heldOutGain: -0.1, hoursPerPoint: null })[4]).toEqual([
    ...["Per reward point", "—", "nothing gained"],
  ]);
});
