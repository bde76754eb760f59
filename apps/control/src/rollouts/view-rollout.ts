import {
  IntegrityKind,
  RolloutError,
  RolloutMode,
  RolloutStatus,
  TrialTimings,
} from "@liverl/contract/rollout";
import { Termination } from "@liverl/contract/trajectory";
import type { RolloutRow } from "@liverl/contract/views";
import type { Rollout } from "@liverl/prisma/client";
import { z } from "zod";
import { viewStored } from "#database/view-stored.ts";

/** A row of the index as the UI shows it. The advantage is its group's business and is given. */
export function viewRollout(row: Rollout, advantage: number | null): RolloutRow {
  return viewStored(`rollout ${row.rolloutId}`, () => ({
    rolloutId: row.rolloutId,
    sessionId: row.sessionId,
    groupId: row.groupId,
    index: row.index,
    taskId: row.taskId,
    taskName: row.taskName,
    step: row.step,
    mode: RolloutMode.parse(row.mode),
    status: RolloutStatus.parse(row.status),
    reward: row.reward,
    advantage,
    termination: row.termination === null ? null : Termination.parse(row.termination),
    error: row.error === null ? null : RolloutError.parse(row.error),
    turns: row.turns,
    tokensSampled: row.tokensSampled,
    tokensTotal: row.tokensTotal,
    truncated: row.truncated,
    keptSegments: row.keptSegments,
    integrityKinds: z.array(IntegrityKind).parse(row.integrityKinds),
    tags: row.tags,
    note: row.note,
    versionSpan:
      row.versionMin === null || row.versionMax === null ? null : [row.versionMin, row.versionMax],
    timings: row.timings === null ? null : TrialTimings.parse(row.timings),
    startedAt: row.startedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
  }));
}
