import type { TrajectoryView } from "@liverl/contract/views";

/** What the square of a sibling shows. */
export function outcomeOfSibling({
  reward,
  status,
}: Pick<TrajectoryView["group"][number], "reward" | "status">):
  | "solved"
  | "failed"
  | "no reward"
  | "pending" {
  if (status === "queued" || status === "running") return "pending";
  if (reward === null) return "no reward";
  return reward >= 1 ? "solved" : "failed";
}
