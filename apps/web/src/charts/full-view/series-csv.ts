import type { StepRange } from "#charts/metric-store.ts";
import { readExport } from "#metrics/download-metrics.ts";

export type SeriesSource = { runId: string; key: string };

/** Every point of the series as CSV, not the buckets that are drawn; the run is a column where there are several. */
export async function seriesCsv(
  sources: readonly SeriesSource[],
  range: StepRange | null,
): Promise<Blob> {
  const byRun = new Map<string, string[]>();
  for (const { runId, key } of sources) byRun.set(runId, [...(byRun.get(runId) ?? []), key]);
  const files = await Promise.all(
    [...byRun].map(async ([runId, keys]) => {
      const blob = await readExport(runId, {
        format: "csv",
        keys: [...new Set(keys)],
        range: range === null ? undefined : [range[0], range[1]],
      });
      return { runId, text: await blob.text() };
    }),
  );
  const [only] = files;
  const text = files.length === 1 && only !== undefined ? only.text : joinCsv(files);
  return new Blob([text], { type: "text/csv" });
}

/** One table of several, each row with its run before it. */
export function joinCsv(files: readonly { runId: string; text: string }[]): string {
  const [head = ""] = files[0]?.text.split("\r\n") ?? [];
  const rows = files.flatMap(({ runId, text }) =>
    text
      .split("\r\n")
      .slice(1)
      .filter((row) => row !== "")
      .map((row) => `${runId},${row}`),
  );
  return `${[`run,${head}`, ...rows].join("\r\n")}\r\n`;
}
