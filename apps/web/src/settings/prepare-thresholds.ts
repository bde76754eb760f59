import { THRESHOLDS, type ThresholdId, type ThresholdView } from "@liverl/contract/threshold";

type ThresholdAspect = (typeof THRESHOLDS)[ThresholdId]["aspect"];

export const ASPECTS: readonly { id: ThresholdAspect; title: string; note: string }[] = [
  { id: "progress", title: "Progress", note: "does it learn" },
  { id: "stability", title: "Stability", note: "is the update sound" },
  { id: "performance", title: "Performance", note: "does it use the machines" },
  { id: "failures", title: "Failures", note: "do rollouts work, and are rewards earned" },
  { id: "start", title: "First steps", note: "judged once, at the start" },
];

const UNITS = {
  ratio: "share, 0–1",
  nats: "nats",
  reward: "reward",
  times: "times",
  z: "deviations",
  versions: "versions",
  number: "",
} as const satisfies Record<(typeof THRESHOLDS)[ThresholdId]["unit"], string>;

export type PreparedThreshold = ThresholdView & {
  label: string;
  metric: string;
  unit: string;
  side: "above" | "below";
  source: string;
  /** `0.05 and 0.5`, as it is where nobody changed it. */
  usual: string;
};

/** Rows of one aspect, in the order of the table. */
export function rowsOfAspect(
  thresholds: readonly ThresholdView[],
  aspect: ThresholdAspect,
): PreparedThreshold[] {
  return thresholds
    .filter(({ id }) => THRESHOLDS[id].aspect === aspect)
    .map((row) => {
      const { label, metric, unit, side, source, warn, bad } = THRESHOLDS[row.id];
      const usual = [warn, ...(bad === null ? [] : [bad])].join(" and ");
      return { ...row, label, metric, unit: UNITS[unit], side, source, usual };
    });
}

/** What is typed in a field: a number, null for an empty one, undefined for what is none. */
export function parseBound(text: string): number | null | undefined {
  const trimmed = text.trim().replace(",", ".");
  if (trimmed === "") return null;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : undefined;
}
