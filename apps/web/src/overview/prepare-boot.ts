import type { BootPhase } from "@liverl/contract/run";

/** Until a phase says it is done, an estimate from earlier runs never fills the bar. */
const MAX_ESTIMATE = 0.95;

export type BootRow = {
  phase: BootPhase;
  /** Elapsed; null before the phase began. */
  seconds: number | null;
  /** Share of the phase that is done, 0 to 1; null while it runs and nothing tells how far it is. */
  done: number | null;
  /** `estimated` from how long earlier runs took, otherwise `measured`. */
  basis: "measured" | "estimated";
  /** Seconds that the phase still needs; null when unknown. */
  remainingS: number | null;
};

/** One progress bar per phase: what the phase itself reports, else its elapsed time against earlier runs. */
export function prepareBoot(phases: readonly BootPhase[], nowMs: number | null): BootRow[] {
  return phases.map((phase) => {
    const seconds = elapsed(phase, nowMs);
    const typicalS = phase.typicalS === null ? null : (phase.typicalS[0] + phase.typicalS[1]) / 2;
    const row = { phase, seconds, basis: "measured" as const };
    if (phase.status === "done") return { ...row, done: 1, remainingS: 0 };
    if (phase.status === "todo") return { ...row, done: 0, remainingS: typicalS };
    const { progress } = phase;
    if (progress !== null)
      return {
        ...row,
        done: progress,
        remainingS:
          seconds === null || progress === 0 ? typicalS : (seconds / progress) * (1 - progress),
      };
    if (phase.status === "failed" || seconds === null || typicalS === null)
      return { ...row, done: phase.status === "failed" ? 0 : null, remainingS: typicalS };
    return {
      ...row,
      basis: "estimated",
      done: Math.min(MAX_ESTIMATE, seconds / Math.max(typicalS, 0.001)),
      remainingS: Math.max(0, typicalS - seconds),
    };
  });
}

function elapsed(phase: BootPhase, nowMs: number | null): number | null {
  if (phase.startedAt === null) return null;
  const end = phase.endedAt === null ? nowMs : new Date(phase.endedAt).getTime();
  return end === null ? null : Math.max(0, (end - new Date(phase.startedAt).getTime()) / 1000);
}

/** The phase that the boot is in, or that it failed in. */
export function currentPhase(phases: readonly BootPhase[]): BootPhase | null {
  return (
    phases.find(({ status }) => status === "failed") ??
    phases.find(({ status }) => status === "now") ??
    null
  );
}

/** Seconds until the boot is over; null when no phase that is left has an estimate. */
export function remainingS(rows: readonly BootRow[]): number | null {
  const known = rows.flatMap(({ phase, remainingS }) =>
    phase.status === "done" || remainingS === null ? [] : [remainingS],
  );
  return known.length === 0 ? null : known.reduce((sum, seconds) => sum + seconds, 0);
}
