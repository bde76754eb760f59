import type { CallOutline } from "@liverl/contract/session-view";
import type { DotKind } from "#ui/status-dot.tsx";

const ENDED: Record<CallOutline["status"], { dot: DotKind; words: string }> = {
  done: { dot: "ok", words: "done" },
  aborted: { dot: "warn", words: "aborted" },
  incomplete: { dot: "off", words: "incomplete" },
  error: { dot: "bad", words: "error" },
};

/** How a call stands. In a live session one without an end is being answered. */
export function describeCall(
  { status, endedAt, firstTokenAt, stopReason }: CallOutline,
  live: boolean,
): { dot: DotKind; words: string } {
  if (live && endedAt === null && status === "incomplete")
    return { dot: "run", words: firstTokenAt === null ? "in flight" : "sampling" };
  if (status === "done" && stopReason === "length") return { dot: "warn", words: "done, cut" };
  return ENDED[status];
}
