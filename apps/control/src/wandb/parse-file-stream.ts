import { AppError } from "@liverl/contract/app-error";
import { faultOf } from "@liverl/contract/fault-of";
import { z } from "zod";
import { SeriesCollector } from "#metrics/collect-series.ts";
import { parseMetricValue } from "#metrics/metric-flag.ts";
import { parseLoosely } from "#metrics/parse-loosely.ts";
import type { ParsedBody } from "#trackers/parse-body.ts";
import { type StepAxis, stepsOnAxes } from "#wandb/step-axes.ts";

/** Lines of one file, the first of them being line number `offset`. */
const Chunk = z.object({ offset: z.number().int().min(0), content: z.array(z.string()) });
const FileStream = z.object({
  files: z
    .object({
      "wandb-history.jsonl": Chunk.optional(),
      "wandb-events.jsonl": Chunk.optional(),
      "wandb-summary.json": Chunk.optional(),
      "output.log": Chunk.optional(),
    })
    .nullish(),
  complete: z.boolean().nullish(),
  exitcode: z.number().int().nullish(),
});

export interface StreamedLines {
  /** Lines of the file that have come, this request's included. */
  count: number;
  /** When and where the newest one was logged: what a client that resumes asks for. */
  last: { _step?: number; _runtime?: number; _timestamp?: number };
}
export interface FileStreamRest {
  history: StreamedLines | null;
  events: StreamedLines | null;
  output: { offset: number; lines: string[] } | null;
  /** Newest summary, a JSON object in text. */
  summary: string | null;
  /** Set by the last request of a run. */
  complete: boolean;
  exitCode: number | null;
  /** Lines and values that could not be read, and why the first could not. */
  faults: { count: number; first: string } | null;
}

type Note = (fault: string) => void;
/** Nested values deeper than this are no metrics. */
const MAX_DEPTH = 8;

/**
 * A request to `/files/<entity>/<project>/<run>/file_stream`. What can not be read is counted, not refused: the client would stop
 * logging altogether. `key` names the run.
 */
export function parseFileStream(
  body: Uint8Array,
  key: string,
  axes: readonly StepAxis[],
): ParsedBody {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString("utf8");
  const parsed = FileStream.safeParse(parseLoosely(text));
  if (!parsed.success) throw new AppError("BAD_REQUEST", { userMessage: faultOf(parsed.error) });
  const { files, complete, exitcode } = parsed.data;
  const history = files?.["wandb-history.jsonl"];
  const events = files?.["wandb-events.jsonl"];
  const output = files?.["output.log"];
  const collector = new SeriesCollector();
  let faults: FileStreamRest["faults"] = null;
  const note: Note = (fault) => {
    faults = { count: (faults?.count ?? 0) + 1, first: faults?.first ?? fault };
  };
  collectLines(collector, history, axes, note);
  collectLines(collector, events, null, note);
  return {
    source: "wandb",
    key,
    batch: null,
    series: collector.series,
    points: collector.points,
    rest: {
      history: linesOf(history),
      events: linesOf(events),
      output: output ? { offset: output.offset, lines: output.content } : null,
      summary: files?.["wandb-summary.json"]?.content.at(-1) ?? null,
      complete: complete === true,
      exitCode: exitcode ?? null,
      faults,
    },
  };
}

/** A number, also one that was written as text. */
const Numeric = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d+(\.\d+)?$/)
    .transform(Number),
]);
const Last = z
  .object({ _step: Numeric, _runtime: Numeric, _timestamp: Numeric })
  .partial()
  .catch({});

function linesOf(chunk: z.infer<typeof Chunk> | undefined): StreamedLines | null {
  const last = chunk?.content.at(-1);
  if (!chunk || last === undefined) return null;
  return { count: chunk.offset + chunk.content.length, last: Last.parse(parseLoosely(last)) };
}

/** Lines without a `_step` of their own, those of system metrics, are counted by their place in the file. */
function collectLines(
  collector: SeriesCollector,
  chunk: z.infer<typeof Chunk> | undefined,
  /** Null: every line at its own step. */
  axes: readonly StepAxis[] | null,
  note: Note,
): void {
  for (const [i, text] of (chunk?.content ?? []).entries()) {
    const line = parseLoosely(text);
    if (typeof line !== "object" || line === null || Array.isArray(line)) {
      note("a line is not a JSON object");
      continue;
    }
    const { _step, _timestamp, _runtime, _wandb, ...values } = line as Record<string, unknown>;
    const said = _step === undefined ? null : Numeric.safeParse(_step);
    if (said?.success === false) {
      note(`a line's _step is ${String(JSON.stringify(_step)).slice(0, 40)}, which is no number`);
      continue;
    }
    const step = said?.data ?? (chunk?.offset ?? 0) + i;
    const time = Numeric.safeParse(_timestamp);
    const wallMs = time.success ? time.data * 1000 : Date.now();
    const onAxis = axes && stepsOnAxes(values, axes);
    const stepOf = (key: string) => onAxis?.(key) ?? step;
    collectValues(collector, "", values, { stepOf, wallMs, note }, 0);
  }
}

function collectValues(
  collector: SeriesCollector,
  prefix: string,
  values: object,
  at: { stepOf: (key: string) => number; wallMs: number; note: Note },
  depth: number,
): void {
  for (const [name, raw] of Object.entries(values)) {
    const key = `${prefix}${name}`;
    if (typeof raw === "object" && raw !== null) {
      // Tables, images and histograms say their type; plain dictionaries are metrics whose names W&B joins with a dot.
      const isMedia = Array.isArray(raw) || "_type" in raw;
      if (!isMedia && depth < MAX_DEPTH) collectValues(collector, `${key}.`, raw, at, depth + 1);
      continue;
    }
    // W&B writes a null for a None, which is no number; NaN is the bare word.
    const value = raw === null ? null : parseMetricValue(raw);
    const fault = value === null ? null : collector.add(key, at.stepOf(key), at.wallMs, value);
    if (fault !== null) at.note(fault);
  }
}
