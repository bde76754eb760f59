import { RunDriver, RunSource, RunStatus } from "@liverl/contract/run";
import type { Run } from "@liverl/prisma/client";
import type { SummarisedRun } from "#runs/summarise-run.ts";

const NOT_KNOWN = {
  progress: "unknown",
  stability: "unknown",
  performance: "unknown",
  failures: "unknown",
} as const;

/** A run that can not be summarised, in its place among the others: with its name, and the words for what is wrong. Pure. */
export function damagedRun(run: Run, damage: string): SummarisedRun {
  const statusReason = `What is stored of this run is damaged: ${damage}`;
  return {
    spec: null,
    active: { seconds: 0, since: null },
    stepS: null,
    verdict: {
      ...{ word: "Unknown", sentence: statusReason, ...NOT_KNOWN },
      ...{ advisories: [], steps: null, start: [] },
    },
    summary: {
      ...{ id: run.id, project: run.project, name: run.name, statusReason },
      status: RunStatus.safeParse(run.status).data ?? "failed",
      driver: RunDriver.safeParse(run.driver).data ?? "attached",
      source: RunSource.safeParse(run.source).data ?? null,
      ...{ algorithm: "unknown", step: 0, plannedSteps: null },
      reward: { last: null, steps: [], values: [] },
      ...{
        heldOutReward: null,
        mfu: null,
        idleRatio: null,
        stepTimeS: null,
        usualGapS: null,
        spent: null,
      },
      health: NOT_KNOWN,
      ...{ color: run.color, tags: run.tags },
      createdAt: isoOf(run.createdAt) ?? new Date(0).toISOString(),
      startedAt: isoOf(run.startedAt),
      endedAt: isoOf(run.endedAt),
      lastPointAt: null,
    },
  };
}

const isoOf = (at: Date | null) =>
  at === null || Number.isNaN(at.getTime()) ? null : at.toISOString();
