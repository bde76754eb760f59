import type { AlertSilence } from "@liverl/prisma/client";

/** The first silence that covers a rule's firing for a run now; null where somebody is to be told. Pure. */
export function findSilence(
  silences: readonly AlertSilence[],
  { project, ruleId, runId }: { project: string; ruleId: string | null; runId: string },
  nowMs: number,
): AlertSilence | null {
  return (
    silences.find(
      (silence) =>
        silence.project === project &&
        silence.until.getTime() > nowMs &&
        (silence.ruleId === null || silence.ruleId === ruleId) &&
        (silence.runId === null || silence.runId === runId),
    ) ?? null
  );
}
