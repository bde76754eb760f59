import type { Headline } from "@liverl/contract/views";
import { formatCount, formatNumber, formatPercent, formatSigned } from "#ui/format-number.ts";

export interface HeadlineText {
  value: string;
  /** "/ 512"; empty when there is nothing to compare with. */
  of: string;
  /** Change against the step before; empty when either is missing. */
  change: string;
}

/** Texts of one headline number. Ratios change by points of percent. */
export function prepareHeadline(headline: Headline, previousStep: number | null): HeadlineText {
  const { value, of, previous, unit } = headline;
  const against = previousStep === null ? "" : ` against ${previousStep}`;
  const difference = value !== null && previous !== null ? value - previous : null;
  return {
    value: value === null ? "—" : writeValue(value, unit),
    of: of === null ? "" : `/ ${formatCount(of)}`,
    change: difference === null ? "" : writeChange(difference, unit) + against,
  };
}

function writeValue(value: number, unit: Headline["unit"]): string {
  if (unit === "ratio") return formatPercent(value);
  return unit === "number" ? formatNumber(value) : formatTally(value);
}

function writeChange(difference: number, unit: Headline["unit"]): string {
  if (unit === "ratio")
    return formatSigned(difference * 100, (points) => `${points.toFixed(1)} pt`);
  return formatSigned(difference, unit === "number" ? formatNumber : formatTally);
}

/** Means of counts keep one decimal. */
const formatTally = (value: number) =>
  Number.isInteger(value) || Math.abs(value) >= 100 ? formatCount(value) : value.toFixed(1);
