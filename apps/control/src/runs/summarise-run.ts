import type { LaunchSpec } from "@liverl/contract/launch";
import {
  type Judgement,
  RunDriver,
  RunSource,
  RunStatus,
  type RunSummary,
} from "@liverl/contract/run";
import type { Thresholds } from "@liverl/contract/threshold";
import type { Run } from "@liverl/prisma/client";
import { settledSpec } from "#launch/effective-spec.ts";
import { bucketsOfPoints, bucketWidth, widenBuckets } from "#metrics/buckets.ts";
import type { ActiveTime } from "#runs/active-time.ts";
import { algorithmOf } from "#runs/algorithm-of.ts";
import type { Spent } from "#runs/load-spent.ts";
import { trainingRules } from "#updates/training-rules.ts";
import { judgeRun } from "#verdict/judge-run.ts";
import { findEvaluation, findSignal, lastValue, type RunSignals } from "#verdict/load-signals.ts";
import { median } from "#verdict/statistics.ts";
import { RECENT_STEPS, stepTimes, usualGapS } from "#verdict/step-times.ts";

const SPARK_POINTS = 60;

export interface SummarisedRun {
  summary: RunSummary;
  verdict: Judgement;
  /** Median seconds of the newest steps; null before the first. */
  stepS: number | null;
  spec: LaunchSpec | null;
  active: ActiveTime;
}

/** A run's row and signals as lists show it, with the verdict behind its health. Pure but for the clock that is given. */
export function summariseRun(
  run: Run,
  known: RunSignals,
  { thresholds, spent, nowMs }: { thresholds: Thresholds; spent: Spent; nowMs: number },
): SummarisedRun {
  const { signals } = known;
  const spec = settledSpec(run.spec);
  const status = RunStatus.parse(run.status);
  const step = Math.max(0, known.lastStep ?? 0);
  const plannedSteps = spec?.trainer.total_training_steps ?? null;
  const verdict = judgeRun({
    status,
    statusReason: run.statusReason,
    signals,
    thresholds,
    lastPointMs: known.lastWallMs,
    attemptSinceMs: known.attemptSinceMs,
    ...(run.attachedPath !== null && { attachedMs: run.createdAt.getTime() }),
    ...judgedAs(run, spec),
    nowMs,
    crashes: known.crashes,
    names: known.names,
  });
  const reward = findSignal(signals, "reward/mean");
  const first = reward?.points.step[0] ?? 0;
  const spark = reward
    ? widenBuckets(
        bucketsOfPoints(reward.points),
        bucketWidth(first, reward.points.step.at(-1) ?? first, SPARK_POINTS),
      )
    : null;
  const stepS = median(stepTimes(signals).slice(-RECENT_STEPS));
  return {
    spec,
    active: spent.active,
    verdict,
    stepS: Number.isFinite(stepS) ? stepS : null,
    summary: {
      id: run.id,
      project: run.project,
      name: run.name,
      status,
      statusReason: run.statusReason,
      driver: RunDriver.parse(run.driver),
      source: RunSource.nullable().catch(null).parse(run.source),
      algorithm: spec ? algorithmOf(spec) : "unknown",
      step,
      plannedSteps,
      reward: {
        last: lastValue(reward?.points),
        steps: spark?.step ?? [],
        values: spark?.last ?? [],
      },
      heldOutReward: run.heldOutReward ?? lastValue(findEvaluation(signals)?.points),
      mfu: lastValue(findSignal(signals, "mfu/actor")?.points),
      idleRatio: lastValue(findSignal(signals, "idle_ratio/trainer")?.points),
      stepTimeS: Number.isFinite(stepS) ? stepS : null,
      usualGapS: usualGapS(signals),
      spent: spent.spentOn(spec),
      health: {
        progress: verdict.progress,
        stability: verdict.stability,
        performance: verdict.performance,
        failures: verdict.failures,
      },
      color: run.color,
      tags: run.tags,
      createdAt: run.createdAt.toISOString(),
      startedAt: run.startedAt?.toISOString() ?? null,
      endedAt: run.endedAt?.toISOString() ?? null,
      lastPointAt: known.lastWallMs === null ? null : new Date(known.lastWallMs).toISOString(),
    },
  };
}

/** What a run's configuration changes in how it is judged. */
export function judgedAs(run: Run, spec: LaunchSpec | null) {
  return {
    isColocated: isColocated(spec),
    equalTrains: !trainingRules(run).comparesGroup,
    hasGpus: spec?.driver !== "embedded",
  };
}

/** Of an attached run it is not known: what it logs tells. */
function isColocated(spec: LaunchSpec | null): boolean {
  if (spec === null) return false;
  if (spec.driver === "embedded") return spec.algorithm.trainer_mode === "sync";
  return spec.layout.rollout_nnodes === 0;
}
