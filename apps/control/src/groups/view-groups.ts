import type { GroupRow } from "@liverl/contract/views";
import type { Rollout } from "@liverl/prisma/client";
import { groupOutcome } from "#groups/group-outcome.ts";
import type { LiveRow } from "#rollouts/live-rollouts.ts";
import { viewRollout } from "#rollouts/view-rollout.ts";
import type { Account } from "#updates/account.ts";

/** Rows of any number of groups as groups, in the order of their first rows. */
export function viewGroups(
  rows: readonly Rollout[],
  account: Account,
  live: ReadonlyMap<string, LiveRow> = new Map(),
): GroupRow[] {
  const byGroup = new Map<string, Rollout[]>();
  for (const row of rows) {
    const group = byGroup.get(row.groupId);
    if (group) group.push(row);
    else byGroup.set(row.groupId, [row]);
  }
  return [...byGroup].map(([groupId, members]) => {
    return {
      groupId,
      taskId: members[0]?.taskId ?? "",
      taskName: members[0]?.taskName ?? "",
      ...groupOutcome(members.map((row) => row.reward)),
      isFlat: account.isFlat(groupId),
      rollouts: members.map((row) => viewRollout(row, account, live.get(row.rolloutId) ?? null)),
    };
  });
}
