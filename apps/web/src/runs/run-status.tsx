import type { RunStatus } from "@liverl/contract/run";
import { RUN_STATUS } from "#runs/status-of-run.ts";
import { StatusWord } from "#ui/status-word.tsx";

export function RunStatusWord({ status, reason }: { status: RunStatus; reason: string | null }) {
  const { dot, word } = RUN_STATUS[status];
  return (
    <StatusWord kind={dot} title={reason ?? undefined}>
      {word}
    </StatusWord>
  );
}
