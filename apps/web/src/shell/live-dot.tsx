"use client";
import { useSyncExternalStore } from "react";
import { describeLiveness, type WatchedRun } from "#shell/describe-liveness.ts";
import { connection } from "#trpc/connection.ts";
import { StatusDot } from "#ui/status-dot.tsx";
import { useNow } from "#ui/use-now.ts";

const serverConnection = { status: "connecting", goneSinceMs: null } as const;

/** The age of the newest data, and whether the connection lives. */
export function LiveDot({ runs }: { runs: readonly WatchedRun[] }) {
  const state = useSyncExternalStore(connection.subscribe, connection.get, () => serverConnection);
  const now = useNow(1_000);
  const { dot, words, why } = describeLiveness(state, runs, now);
  return (
    <span className="st f12 i2 live-dot" title={why} role="status" aria-live="off">
      <StatusDot kind={dot} />
      <span className={dot === "bad" ? "bad-t" : dot === "warn" ? "warn-t" : ""}>{words}</span>
    </span>
  );
}
