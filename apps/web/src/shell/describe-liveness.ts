import type { Connection } from "#trpc/connection.ts";
import { formatAge } from "#ui/format-duration.ts";
import type { DotKind } from "#ui/status-dot.tsx";

/** Without new data for this long an active run counts as stale, seconds. */
export const STALE_AFTER_S = 120;
/** A shorter break is not worth an alarm, seconds. */
const LOST_AFTER_S = 2;

/** `isActive`: some run of this page should be sending; `newestMs`: wall time of its newest point. Pure. */
export function describeLiveness(
  connection: Connection,
  { isActive, newestMs }: { isActive: boolean; newestMs: number | null },
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
  if (!isActive) return { dot: "ok", words: "Connected", why: "No run is sending now" };
  if (newestMs === null) return { dot: "live", words: "Live", why: "Waiting for the first data" };
  const ageS = Math.max(0, (nowMs - newestMs) / 1000);
  if (ageS > STALE_AFTER_S)
    return {
      dot: "warn",
      words: `Stale · ${formatAge(ageS)}`,
      why: "Age of the newest data: nothing new for a while",
    };
  return { dot: "live", words: `Live · ${formatAge(ageS)}`, why: "Age of the newest data" };
}
