import type { BootPhase } from "@liverl/contract/run";

export type BootRow = {
  phase: BootPhase;
  seconds: number | null;
  share: number;
  typical: readonly [from: number, to: number] | null;
};

/** One bar a phase: elapsed against the usual range of its own row, or the longest phase. Times in seconds. */
export function prepareBoot(phases: readonly BootPhase[], nowMs: number | null): BootRow[] {
  // Where no earlier run says how long a phase takes, bars of the same boot are compared with each other.
  const longest = Math.max(0, ...phases.map((phase) => elapsed(phase, nowMs) ?? 0));
  return phases.map((phase) => {
    const seconds = elapsed(phase, nowMs);
    const [low, high] = phase.typicalS ?? [0, longest];
    const scale = Math.max(high * 1.35, (seconds ?? 0) * 1.15, 0.001);
    return {
      phase,
      seconds,
      share: seconds === null ? 0 : seconds / scale,
      typical: phase.typicalS === null ? null : [low / scale, high / scale],
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

/** Seconds until the boot is over, by the middle of what earlier runs took; null when nothing is known. */
export function remainingS(rows: readonly BootRow[]): number | null {
  let left = 0;
  let isKnown = false;
  for (const { phase, seconds } of rows) {
    if (phase.status === "done" || phase.typicalS === null) continue;
    isKnown = true;
    left += Math.max(0, (phase.typicalS[0] + phase.typicalS[1]) / 2 - (seconds ?? 0));
  }
  return isKnown ? left : null;
}
