import type { MetricValue } from "#metrics/ingest.ts";
import { metricValueOf } from "#metrics/metric-flag.ts";

export type ParsedLine =
  | { step: number; values: Record<string, MetricValue>; fault: null }
  | { fault: string };

const MAX_KEY_LENGTH = 300;
const MAX_KEYS = 20_000;
/** Steps are 32-bit integers in the store. */
const MAX_STEP = 2 ** 31 - 1;
/**
 * Python's json writes these words bare, which is no JSON. Strings are matched first, so that words inside them stay. A
 * string that never ends reaches to the end of the line: trying again behind each of its quotes would take minutes.
 */
const STRING_OR_BARE_WORD = /"(?:[^"\\]|\\.?)*(?:"|$)|NaN|-?Infinity/gs;
/** A NUL, or half of a character that UTF-16 writes in two: PostgreSQL's text can not hold them. */
const NOT_STORABLE = /\0|\p{Surrogate}/u;

/** One line of verl's `file` logger, `{"step":N,"data":{key: number | null}}`. A null is a NaN there. */
export function parseMetricLine(text: string): ParsedLine {
  const record = parseLoosely(text);
  if (typeof record !== "object" || record === null || Array.isArray(record))
    return { fault: "not a JSON object" };
  const step = "step" in record ? record.step : undefined;
  if (typeof step !== "number" || !Number.isInteger(step) || Math.abs(step) > MAX_STEP)
    return { fault: "`step` is not a whole number" };
  const logged = "data" in record ? record.data : undefined;
  if (typeof logged !== "object" || logged === null || Array.isArray(logged))
    return { fault: "`data` is not an object" };
  const entries = Object.entries(logged);
  if (entries.length > MAX_KEYS)
    return { fault: `${entries.length} keys in one line; ${MAX_KEYS} is the most` };
  const values: [string, MetricValue][] = [];
  for (const [key, raw] of entries) {
    if (key.length === 0 || key.length > MAX_KEY_LENGTH)
      return { fault: `a key of ${key.length} characters` };
    if (NOT_STORABLE.test(key)) return { fault: "a key with a NUL or half a character" };
    const value = metricOf(raw);
    // Text and lists beside the numbers are legal in the format; there is nothing to plot in them.
    if (value !== null) values.push([key, value]);
  }
  return { step, values: Object.fromEntries(values), fault: null };
}

function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return JSON.parse(
        text.replace(STRING_OR_BARE_WORD, (match) =>
          match.startsWith('"') ? match : `"${match}"`,
        ),
      );
    } catch {
      return null;
    }
  }
}

function metricOf(raw: unknown): MetricValue | null {
  if (typeof raw === "number") return metricValueOf(raw);
  if (raw === null || raw === "NaN") return "NaN";
  if (raw === "Infinity" || raw === "-Infinity") return raw;
  if (typeof raw === "boolean") return raw ? 1 : 0;
  return null;
}
