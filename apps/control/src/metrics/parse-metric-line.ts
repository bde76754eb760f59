import { keyFault, stepFault } from "#metrics/check-point.ts";
import type { MetricValue } from "#metrics/ingest.ts";
import { parseMetricValue } from "#metrics/metric-flag.ts";
import { parseLoosely } from "#metrics/parse-loosely.ts";

export type ParsedLine =
  | { step: number; values: Record<string, MetricValue>; fault: null }
  | { fault: string };

const MAX_KEYS = 20_000;

/** One line of verl's `file` logger, `{"step":N,"data":{key: number | null}}`. A null is a NaN there. */
export function parseMetricLine(text: string): ParsedLine {
  const record = parseLoosely(text);
  if (typeof record !== "object" || record === null || Array.isArray(record))
    return { fault: "not a JSON object" };
  const step = "step" in record ? record.step : undefined;
  if (typeof step !== "number") return { fault: "`step` is not a whole number" };
  const wrong = stepFault(step);
  if (wrong !== null) return { fault: wrong };
  const logged = "data" in record ? record.data : undefined;
  if (typeof logged !== "object" || logged === null || Array.isArray(logged))
    return { fault: "`data` is not an object" };
  const entries = Object.entries(logged);
  if (entries.length > MAX_KEYS)
    return { fault: `${entries.length} keys in one line; ${MAX_KEYS} is the most` };
  const values: [string, MetricValue][] = [];
  for (const [key, raw] of entries) {
    const fault = keyFault(key);
    if (fault !== null) return { fault };
    const value = parseMetricValue(raw);
    // Text and lists beside the numbers are legal in the format; there is nothing to plot in them.
    if (value !== null) values.push([key, value]);
  }
  return { step, values: Object.fromEntries(values), fault: null };
}
