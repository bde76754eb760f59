import type { Health, RunStatus } from "@liverl/contract/run";
import type { DotKind } from "#ui/status-dot.tsx";

/** Shape and word of each run status. */
export const RUN_STATUS = {
  draft: { dot: "off", word: "Draft" },
  queued: { dot: "off", word: "Queued" },
  booting: { dot: "boot", word: "Booting" },
  running: { dot: "run", word: "Running" },
  stopping: { dot: "stop", word: "Stopping" },
  succeeded: { dot: "ok", word: "Succeeded" },
  stopped: { dot: "ok", word: "Stopped" },
  failed: { dot: "bad", word: "Failed" },
  cancelled: { dot: "off", word: "Cancelled" },
  ended: { dot: "off", word: "Ended" },
} as const satisfies Record<RunStatus, { dot: DotKind; word: string }>;

export const HEALTH = {
  ok: { dot: "ok", word: "ok" },
  warn: { dot: "warn", word: "wants a look" },
  bad: { dot: "bad", word: "alarm" },
  unknown: { dot: "off", word: "not judged yet" },
} as const satisfies Record<Health, { dot: DotKind; word: string }>;
