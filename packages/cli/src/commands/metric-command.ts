import { EXPORT_FORMATS, type ExportMetrics, type SeriesBuckets } from "@liverl/contract/metric";
import { type Command, Option } from "commander";
import type { Act, Cli } from "#cli.ts";
import { saveBody } from "#client/save-body.ts";
import { steps, whole } from "#commands/parse-number.ts";
import { formatTable } from "#output/format-table.ts";
import { bytes, number } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

const FLAG_WORDS = ["", "NaN", "Infinity", "-Infinity"];

export function addMetricCommand(program: Command, act: Act): void {
  const metrics = program
    .command("metrics")
    .description("List the keys that a run has logged, show values by step, or download them.");
  metrics
    .command("show", { isDefault: true })
    .description("The keys; or, where some are named, their values by step.")
    .argument("<run>", "its id")
    .argument("[keys...]", "as they were logged: critic/rewards/mean")
    .option("--steps <a..b>", "of these steps, both included", steps)
    .option("--buckets <count>", "at most so many rows, the last value of each", whole(10), 300)
    .action(act(showMetrics));
  metrics
    .command("export")
    .description("Download every point of some metrics, or of all, as one file.")
    .argument("<run>", "its id")
    .argument("[keys...]", "as they were logged")
    .requiredOption("-o, --output <file>", "where to")
    .option("--steps <a..b>", "of these steps, both included", steps)
    .addOption(
      new Option("--format <format>", "of the file").choices(EXPORT_FORMATS).default("csv"),
    )
    .action(act(download));
}

async function download(
  { api, signal }: Cli,
  runId: string,
  keys: string[],
  flags: { steps?: [number, number]; format: ExportMetrics["format"]; output: string },
): Promise<Result> {
  const { steps: range, format, output } = flags;
  const wish: ExportMetrics = { format, ...(keys.length > 0 && { keys }), ...(range && { range }) };
  const path = `/api/v1/runs/${encodeURIComponent(runId)}/metrics/export`;
  const sizeBytes = await saveBody(await api.open("POST", path, wish, signal), output);
  return {
    answer: { path: output, sizeBytes },
    lines: [`${bytes(sizeBytes)} written to ${output}`],
  };
}

async function showMetrics(
  { api }: Cli,
  runId: string,
  keys: string[],
  { steps: range, buckets }: { steps?: [number, number]; buckets: number },
): Promise<Result> {
  // Asked first: a run that is not there has no keys either.
  await api.get("run.get", { id: runId });
  if (keys.length === 0) return listKeys(await api.get("metric.keys", { runId }));
  const answer = await api.get("metric.series", { runId, keys, range, buckets });
  return { answer, lines: tableOf(answer.series) };
}

function listKeys(answer: {
  keys: { key: string; points: number; last: number | null; lastStep: number }[];
}): Result {
  const lines = formatTable(answer.keys, [
    { title: "KEY", of: ({ key }) => key },
    { title: "POINTS", of: ({ points }) => points, right: true },
    { title: "STEP", of: ({ lastStep }) => lastStep, right: true },
    { title: "LAST", of: ({ last }) => number(last) ?? "not finite", right: true },
  ]);
  return { answer, lines };
}

/** A row for each step that any of the series has. */
function tableOf(series: readonly SeriesBuckets[]): string[] {
  const all = [...new Set(series.flatMap(({ step }) => step))].sort((a, b) => a - b);
  const values = series.map(
    ({ step, value, flag }) =>
      new Map(step.map((at, i) => [at, number(value[i]) ?? FLAG_WORDS[flag[i] ?? 0]])),
  );
  return formatTable(all, [
    { title: "STEP", of: (step) => step, right: true },
    ...series.map(({ key }, i) => ({
      title: key,
      of: (step: number) => values[i]?.get(step),
      right: true as const,
    })),
  ]);
}
