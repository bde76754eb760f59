"use client";
import { type RunStatus, type RunSummary, staleAgeS } from "@liverl/contract/run";
import { RUN_STATUS } from "#runs/status-of-run.ts";
import { formatAge, formatDuration } from "#ui/format-duration.ts";
import { StatusWord } from "#ui/status-word.tsx";
import { useNow } from "#ui/use-now.ts";

export function RunStatusWord({ status, reason }: { status: RunStatus; reason: string | null }) {
  const { dot, word } = RUN_STATUS[status];
  return (
    <StatusWord kind={dot} title={reason ?? undefined}>
      {word}
    </StatusWord>
  );
}

/** How long a running run has sent nothing, where that is unusual for it. */
export function StaleMark({ run }: { run: RunSummary }) {
  const now = useNow(5_000);
  const ageS = now === null ? null : staleAgeS(run, now);
  if (ageS === null) return null;
  const gap = run.usualGapS === null ? "unknown" : formatDuration(run.usualGapS);
  return (
    <div className="warn-t f12" title={`Usual gap between two steps: ${gap}`}>
      stale · {formatAge(ageS)}
    </div>
  );
}
