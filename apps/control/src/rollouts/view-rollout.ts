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
import { type LiveRow, viewLive } from "#rollouts/live-rollouts.ts";
import type { Account } from "#updates/account.ts";

/** A row of the index as the UI shows it. What training made of it hangs on its group, and is told by the account. */
export function viewRollout(
  row: Rollout,
  account: Account,
  live: LiveRow | null = null,
): RolloutRow {
  const isLive = row.status === "queued" || row.status === "running";
  const counts = isLive ? live : row;
  return viewStored(`rollout ${row.rolloutId}`, () => ({
    rolloutId: row.rolloutId,
    sessionId: row.sessionId,
    groupId: row.groupId,
    index: row.index,
    taskId: row.taskId,
    taskName: row.taskName,
    step: row.step,
    askedStep: row.askedStep,
    mode: RolloutMode.parse(row.mode),
    status: RolloutStatus.parse(row.status),
    reward: row.reward,
    advantage: account.advantageOf(row),
    training: account.trainingOf(row),
    termination: row.termination === null ? null : Termination.parse(row.termination),
    error: row.error === null ? null : RolloutError.parse(row.error),
    turns: counts?.turns ?? null,
    tokensSampled: counts?.tokensSampled ?? null,
    tokensTotal: counts?.tokensTotal ?? null,
    live: isLive && live ? viewLive(live) : null,
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
