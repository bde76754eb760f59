import { AppError } from "@liverl/contract/app-error";
import { faultOf } from "@liverl/contract/fault-of";
import { z } from "zod";
import { SeriesCollector } from "#metrics/collect-series.ts";
import { parseMetricValue } from "#metrics/metric-flag.ts";
import { parseLoosely } from "#metrics/parse-loosely.ts";
import { Entry, Int64, RunRef, runKeyOf } from "#mlflow/rest-shapes.ts";
import type { ParsedBody } from "#trackers/parse-body.ts";

/** MLflow's own limits of one log-batch: https://mlflow.org/docs/latest/rest-api.html#log-batch. */
const MOST = { metrics: 1000, params: 100, tags: 100, all: 1000, bytes: 1_000_000 };

const Batch = RunRef.extend({
  metrics: z.array(z.unknown()).nullish(),
  params: z.array(Entry).nullish(),
  tags: z.array(Entry).nullish(),
});
const Metric = z.object({
  key: z.string(),
  value: z.unknown(),
  timestamp: Int64,
  step: Int64.nullish(),
});

/** Body of `runs/log-batch`. */
export function parseLogBatch(body: Uint8Array): ParsedBody {
  if (body.length > MOST.bytes)
    refuse(`A batch has at most ${MOST.bytes} bytes; this one has ${body.length}.`);
  const { metrics, params, tags, ...ref } = parseShape(Batch, parseLoosely(textOf(body)));
  const counts = {
    metrics: metrics?.length ?? 0,
    params: params?.length ?? 0,
    tags: tags?.length ?? 0,
  };
  for (const what of ["metrics", "params", "tags"] as const)
    if (counts[what] > MOST[what])
      refuse(`A batch has at most ${MOST[what]} ${what}; this one has ${counts[what]}.`);
  const all = counts.metrics + counts.params + counts.tags;
  if (all > MOST.all)
    refuse(`A batch has at most ${MOST.all} metrics, params and tags in all; this one has ${all}.`);
  const collector = new SeriesCollector();
  for (const [i, metric] of (metrics ?? []).entries()) collect(collector, metric, `metrics[${i}]`);
  const key = runKeyOf(ref);
  return {
    ...{ source: "mlflow", key, batch: null, series: collector.series, points: collector.points },
    rest: { key, params: params ?? [], tags: tags ?? [] },
  };
}

/** Body of `runs/log-metric`: one point. */
export function parseLogMetric(body: Uint8Array): ParsedBody {
  const parsed = parseLoosely(textOf(body));
  const ref = parseShape(RunRef, parsed);
  const collector = new SeriesCollector();
  collect(collector, parsed, "metric");
  const key = runKeyOf(ref);
  const { series, points } = collector;
  return {
    ...{ source: "mlflow", key, batch: null, series, points },
    rest: { key, params: [], tags: [] },
  };
}

const textOf = (body: Uint8Array) =>
  Buffer.from(body.buffer, body.byteOffset, body.length).toString("utf8");

function collect(collector: SeriesCollector, input: unknown, where: string): void {
  const { key, value: raw, timestamp, step } = parseShape(Metric, input, where);
  // Protobuf's JSON may write a double as text.
  const number = typeof raw === "string" && raw.trim() !== "" ? Number(raw) : Number.NaN;
  const value = Number.isNaN(number) ? parseMetricValue(raw) : parseMetricValue(number);
  const fault =
    value === null || raw === null || raw === undefined
      ? `the value of ${key.slice(0, 80)} is not a number`
      : collector.add(key, step ?? 0, timestamp, value);
  if (fault !== null) refuse(`${where}: ${fault}`);
}

function parseShape<S extends z.ZodType>(schema: S, input: unknown, where?: string): z.infer<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const fault = faultOf(parsed.error);
  return refuse(where === undefined ? fault : `${where}: ${fault}`);
}

function refuse(userMessage: string): never {
  throw new AppError("BAD_REQUEST", { userMessage });
}
