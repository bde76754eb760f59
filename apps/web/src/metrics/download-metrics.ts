import { ErrorBody } from "@liverl/contract/app-error";
import type { EXPORT_FORMATS, ExportMetrics } from "@liverl/contract/metric";

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Asks the server for the file and hands it to the browser. Throws with the server's own words where it refuses. */
export async function downloadMetrics(runId: string, wish: ExportMetrics): Promise<void> {
  const answer = await fetch(`/api/v1/runs/${encodeURIComponent(runId)}/metrics/export`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(wish),
  });
  if (!answer.ok) {
    const refusal = ErrorBody.safeParse(await answer.json().catch(() => null));
    throw new Error(
      refusal.success ? refusal.data.error.message : `The server answered ${answer.status}.`,
    );
  }
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = `${runId}-metrics.${wish.format}`;
  link.click();
  // The browser has taken the file by the time that this runs.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
