import type { CostDevice, RunCost } from "@liverl/contract/cost";
import { formatMoney } from "#ui/format-money.ts";
import { formatCount, formatNumber, formatSigned } from "#ui/format-number.ts";

export interface CostFact {
  label: string;
  value: string;
  below: string;
  /** What exactly is counted. */
  title: string;
}

export const HOURS_OF: Record<CostDevice, { unit: string; title: string }> = {
  gpu: {
    unit: "GPU-hours",
    title: "Hours at work times all GPUs of the run’s pools, busy or not",
  },
  cpu: {
    unit: "CPU-hours",
    title: "Hours at work times the processes that compute: its engines and its trainer",
  },
};
const NOT_MEASURED = "not measured";

/** What a run has used and gained, each with what it means. */
export function prepareCost(cost: RunCost): CostFact[] {
  const { device, devices, deviceHours, money } = cost;
  const { unit, title } = HOURS_OF[device];
  return [
    {
      ...{ label: unit, value: formatNumber(deviceHours), title },
      below: money
        ? formatMoney(money)
        : `on ${devices} ${device === "gpu" ? "GPUs" : "processes"}`,
    },
    ...tokens(cost),
    ...gain(cost, unit),
  ];
}

function tokens({ tokensSampled, tokensPrompt, tokensTrained }: RunCost): CostFact[] {
  return [
    {
      ...{ label: "Tokens sampled", value: formatCount(tokensSampled) },
      below: `${formatCount(tokensPrompt)} in prompts`,
      title: "By the policy, in training and evaluation; below, those that it was given",
    },
    {
      ...{ label: "Tokens trained on", value: formatCount(tokensTrained) },
      below: tokensTrained === null ? "not logged" : "with their prompts",
      title: "Sum of perf/total_num_tokens over all steps, as the trainer logged it",
    },
  ];
}

function gain({ heldOutGain, hoursPerPoint, moneyPerPoint }: RunCost, unit: string): CostFact[] {
  const isMeasured = heldOutGain !== null;
  return [
    {
      ...{ label: "Held-out gain", value: formatSigned(heldOutGain) },
      below: isMeasured ? "reward" : NOT_MEASURED,
      title: "The newest held-out reward less the first one that was measured",
    },
    {
      ...{ label: "Per reward point", value: formatNumber(hoursPerPoint) },
      below: perPoint(isMeasured, hoursPerPoint, formatMoney(moneyPerPoint) || unit),
      title: `${unit} for each whole point of held-out reward that was gained`,
    },
  ];
}

function perPoint(isMeasured: boolean, hours: number | null, price: string): string {
  if (!isMeasured) return NOT_MEASURED;
  return hours === null ? "nothing gained" : price;
}
