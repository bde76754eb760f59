import type { GroupRow } from "@liverl/contract/views";
import type { Rollout } from "@liverl/prisma/client";
import { groupAdvantage, groupOutcome } from "#groups/group-outcome.ts";
import { settledSpec } from "#launch/effective-spec.ts";
import { viewRollout } from "#rollouts/view-rollout.ts";

/** Whether the run divides advantages by their group's spread; GRPO does unless told otherwise. */
export function dividesByStd(spec: unknown): boolean {
  return settledSpec(spec)?.algorithm.norm_adv_by_std_in_grpo ?? true;
}

/** Rows of any number of groups as groups, in the order of their first rows. */
export function viewGroups(rows: readonly Rollout[], divideByStd: boolean): GroupRow[] {
  const byGroup = new Map<string, Rollout[]>();
  for (const row of rows) {
    const group = byGroup.get(row.groupId);
    if (group) group.push(row);
    else byGroup.set(row.groupId, [row]);
  }
  return [...byGroup].map(([groupId, members]) => {
    const outcome = groupOutcome(members.map((row) => row.reward));
    // An evaluation's rollouts are not compared with each other: there is no advantage.
    const advantageOf = (row: Rollout) =>
      row.mode === "train" && members.length > 1
        ? groupAdvantage(row.reward, outcome, divideByStd)
        : null;
    return {
      groupId,
      taskId: members[0]?.taskId ?? "",
      taskName: members[0]?.taskName ?? "",
      ...outcome,
      rollouts: members.map((row) => viewRollout(row, advantageOf(row))),
    };
  });
}
