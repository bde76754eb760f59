import type { Money, RunCost, RunSpent } from "@liverl/contract/cost";
import { number } from "#output/format-value.ts";

const unitOf = ({ device }: Pick<RunSpent, "device">) => `${device.toUpperCase()}-hours`;

/** `12.5 EUR`; null where the project has set no price. */
export const money = (sum: Money | null | undefined): string | null =>
  sum ? `${number(Number(sum.amount.toFixed(2)))} ${sum.currency}` : null;

/** `4.2 GPU-hours`. */
export const hours = (spent: RunSpent | null): string | null =>
  spent && `${number(spent.deviceHours)} ${unitOf(spent)}`;

/** What a run has used and gained, as facts by name. */
export function describeCost(cost: RunCost): [string, string | null][] {
  const { devices, tokensSampled, tokensPrompt, tokensTrained, heldOutGain } = cost;
  const of = `${number(cost.deviceHours)} ${unitOf(cost)} on ${devices}`;
  const price = money(cost.money);
  return [
    ["cost", price === null ? of : `${of}, ${price}`],
    [
      "tokens",
      `${tokensSampled} sampled, ${tokensPrompt} in prompts, ${tokensTrained ?? "not logged"} trained on`,
    ],
    ["gain", gainOf(cost, heldOutGain)],
  ];
}

function gainOf(cost: RunCost, gain: number | null): string {
  if (gain === null) return "not measured";
  const gained = `held-out reward ${gain < 0 ? "" : "+"}${number(gain)}`;
  if (cost.hoursPerPoint === null) return gained;
  const price = money(cost.moneyPerPoint);
  return `${gained}, ${number(cost.hoursPerPoint)} ${unitOf(cost)}${price ? ` or ${price}` : ""} a point`;
}
