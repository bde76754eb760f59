import { type CheckpointMerge, MergeStatus } from "@liverl/contract/views";
import type { CheckpointMerge as Row } from "@liverl/prisma/client";
import { mergeName } from "#checkpoints/merge/merge-files.ts";

/** A merge's row as lists show it. Pure. */
export function viewMerge(row: Row): CheckpointMerge {
  return {
    status: MergeStatus.parse(row.status),
    detail: row.detail,
    share: row.share,
    startedAt: row.startedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
    log: mergeName(row.step),
  };
}
