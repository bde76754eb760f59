import { ErrorBody } from "@liverl/contract/app-error";
import type { EXPORT_FORMATS, ExportMetrics } from "@liverl/contract/metric";
import { saveFile } from "#charts/full-view/save-chart.ts";
import { pageHeaders } from "#trpc/page-key.ts";

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Asks the server for the file. Throws with the server's own words where it refuses. */
export async function readExport(runId: string, wish: ExportMetrics): Promise<Blob> {
  const answer = await fetch(`/api/v1/runs/${encodeURIComponent(runId)}/metrics/export`, {
    method: "POST",
    headers: { "content-type": "application/json", ...pageHeaders() },
    body: JSON.stringify(wish),
  });
  if (!answer.ok) {
    const refusal = ErrorBody.safeParse(await answer.json().catch(() => null));
    throw new Error(
      refusal.success ? refusal.data.error.message : `The server answered ${answer.status}.`,
    );
  }
  return answer.blob();
}

export async function downloadMetrics(runId: string, wish: ExportMetrics): Promise<void> {
  saveFile(await readExport(runId, wish), `${runId}-metrics.${wish.format}`);
}
