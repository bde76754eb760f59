import { type RunSummary, staleAfterS } from "@liverl/contract/run";
import type { Connection } from "#trpc/connection.ts";
import { formatAge, formatDuration } from "#ui/format-duration.ts";
import type { DotKind } from "#ui/status-dot.tsx";

/** A shorter break is not worth an alarm, seconds. */
const LOST_AFTER_S = 2;

export type WatchedRun = Pick<RunSummary, "status" | "lastPointAt" | "usualGapS">;

/** `runs`: those of this page that should be sending. Data is stale by the usual gap of the run that sent last. Pure. */
export function describeLiveness(
  connection: Connection,
  runs: readonly WatchedRun[],
  nowMs: number | null,
): { dot: DotKind; words: string; why: string } {
  if (connection.status === "gone") {
    const goneS =
      nowMs === null || connection.goneSinceMs === null
        ? 0
        : (nowMs - connection.goneSinceMs) / 1000;
    if (goneS < LOST_AFTER_S)
      return {
        dot: "off",
        words: "Reconnecting",
        why: "The live connection was interrupted a moment ago",
      };
    return {
      dot: "bad",
      words: `Connection lost · ${formatAge(goneS)}`,
      why: "LiveRL does not answer. What you see is from before; this page reconnects by itself.",
    };
  }
  if (connection.status === "connecting" || nowMs === null)
    return { dot: "off", words: "Connecting", why: "Opening the live connection" };
  if (runs.length === 0) return { dot: "ok", words: "Connected", why: "No run is sending now" };
  const newest = newestOf(runs);
  if (newest === null) return { dot: "live", words: "Live", why: "Waiting for the first data" };
  const ageS = Math.max(0, (nowMs - newest.atMs) / 1000);
  const { usualGapS, status } = newest.run;
  const gap = usualGapS === null ? "" : `; usual gap ${formatDuration(usualGapS)}`;
  const why = `Age of the newest data${gap}`;
  return status === "running" && ageS > staleAfterS(usualGapS)
    ? { dot: "warn", words: `Stale · ${formatAge(ageS)}`, why }
    : { dot: "live", words: `Live · ${formatAge(ageS)}`, why };
}

function newestOf(runs: readonly WatchedRun[]): { run: WatchedRun; atMs: number } | null {
  let newest: { run: WatchedRun; atMs: number } | null = null;
  for (const run of runs) {
    const atMs = run.lastPointAt === null ? Number.NaN : Date.parse(run.lastPointAt);
    if (Number.isFinite(atMs) && atMs > (newest?.atMs ?? Number.NEGATIVE_INFINITY))
      newest = { run, atMs };
  }
  return newest;
}
