import { AppError } from "@liverl/contract/app-error";
import { faultOf } from "@liverl/contract/fault-of";
import { LOG_LIMITS, LogMetrics } from "@liverl/contract/metric";
import { SeriesCollector } from "#metrics/collect-series.ts";
import { parseMetricValue } from "#metrics/metric-flag.ts";
import { parseLoosely } from "#metrics/parse-loosely.ts";
import { configText } from "#trackers/config-text.ts";
import type { ParsedBody } from "#trackers/parse-body.ts";

/** All of a body but its points. */
export type LogMetricsRest = Omit<LogMetrics, "rows" | "series" | "batch">;

/** Body of `POST /api/v1/metrics`. */
export function parseLogMetrics(body: Uint8Array): ParsedBody {
  if (estimatePoints(body) > LOG_LIMITS.points + CONFIG_KEYS)
    refuse(`One request has at most ${LOG_LIMITS.points} points: send several.`);
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString("utf8");
  const parsed = LogMetrics.safeParse(parseLoosely(text));
  if (!parsed.success) refuse(faultOf(parsed.error));
  const { rows, series, batch, ...rest } = parsed.data;
  // Refused as a whole, or kept as a whole.
  if (rest.config !== undefined) configText(rest.config);
  const collector = new SeriesCollector();
  const nowMs = Date.now();
  if (rows !== undefined) collectRows(collector, listOf(rows, "rows"), nowMs);
  if (series !== undefined) collectSeries(collector, listOf(series, "series"), nowMs);
  return {
    source: "api",
    key: `${rest.project}/${rest.run}`,
    batch: batch ?? null,
    series: collector.series,
    points: collector.points,
    rest,
  };
}

/** Room for keys that are no points: those of the configuration. */
const CONFIG_KEYS = 50_000;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;

/** Keys outside of texts, less the three of each row (step, time, values): seen without parsing, which takes seconds for a million. */
function estimatePoints(body: Uint8Array): number {
  let keys = 0;
  let objects = 0;
  let isText = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === BACKSLASH) at++;
    else if (byte === QUOTE) isText = !isText;
    else if (isText) continue;
    else if (byte === COLON) keys++;
    else if (byte === OPEN_BRACE) objects++;
  }
  return keys - 3 * Math.floor(objects / 2);
}

function collectRows(collector: SeriesCollector, rows: unknown[], nowMs: number): void {
  for (const [i, row] of rows.entries()) {
    const { step, time, values } = fieldsOf(row, `rows[${i}]`);
    const entries = Object.entries(fieldsOf(values, `rows[${i}].values`));
    for (const [key, raw] of entries)
      collect(collector, key, step, time, raw, nowMs, () => `rows[${i}]`);
  }
}

function collectSeries(collector: SeriesCollector, all: unknown[], nowMs: number): void {
  for (const [i, one] of all.entries()) {
    const fields = fieldsOf(one, `series[${i}]`);
    const { key } = fields;
    const step = listOf(fields.step, `series[${i}].step`);
    const value = listOf(fields.value, `series[${i}].value`);
    const time = fields.time === undefined ? null : listOf(fields.time, `series[${i}].time`);
    if (typeof key !== "string") refuse(`series[${i}].key is not text`);
    if (step.length !== value.length || (time !== null && time.length !== step.length))
      refuse(`series[${i}]: step, value and time have different lengths`);
    for (let at = 0; at < step.length; at++)
      collect(collector, key, step[at], time?.[at], value[at], nowMs, () => `series[${i}][${at}]`);
  }
}

function collect(
  collector: SeriesCollector,
  key: string,
  step: unknown,
  time: unknown,
  raw: unknown,
  nowMs: number,
  where: () => string,
): void {
  const value = parseMetricValue(raw);
  if (value === null) refuse(`${where()}: the value of ${key.slice(0, 80)} is not a number`);
  if (typeof step !== "number") refuse(`${where()}: step is not a number`);
  if (time !== undefined && typeof time !== "number") refuse(`${where()}: time is not a number`);
  const fault = collector.add(key, step, time === undefined ? nowMs : time * 1000, value);
  if (fault !== null) refuse(`${where()}: ${fault}`);
  if (collector.points > LOG_LIMITS.points)
    refuse(`One request has at most ${LOG_LIMITS.points} points: send several.`);
}

function fieldsOf(input: unknown, where: string): Record<string, unknown> {
  if (typeof input === "object" && input !== null && !Array.isArray(input))
    return input as Record<string, unknown>;
  return refuse(`${where} is not an object`);
}

function listOf(input: unknown, where: string): unknown[] {
  return Array.isArray(input) ? input : refuse(`${where} is not a list`);
}

function refuse(userMessage: string): never {
  throw new AppError("BAD_REQUEST", { userMessage });
}
