import type { MetricValue } from "#metrics/ingest.ts";

/** How a point that is not finite is kept: 0 finite, 1 NaN, 2 +Inf, 3 −Inf. */
export const FLAG = { finite: 0, nan: 1, positiveInfinity: 2, negativeInfinity: 3 } as const;

export function encodeValue(value: MetricValue): { value: number | null; flag: number } {
  if (value === "NaN") return { value: null, flag: FLAG.nan };
  if (value === "Infinity") return { value: null, flag: FLAG.positiveInfinity };
  if (value === "-Infinity") return { value: null, flag: FLAG.negativeInfinity };
  return { value, flag: FLAG.finite };
}

/** A JavaScript number as a value that JSON can carry. */
export function metricValueOf(value: number): MetricValue {
  if (Number.isNaN(value)) return "NaN";
  if (value === Number.POSITIVE_INFINITY) return "Infinity";
  if (value === Number.NEGATIVE_INFINITY) return "-Infinity";
  return value;
}

/** A value as JSON gives it; null for text and lists, in which there is nothing to plot. A null is a NaN. */
export function parseMetricValue(raw: unknown): MetricValue | null {
  if (typeof raw === "number") return metricValueOf(raw);
  if (raw === null || raw === "NaN") return "NaN";
  if (raw === "Infinity" || raw === "-Infinity") return raw;
  if (typeof raw === "boolean") return raw ? 1 : 0;
  return null;
}
