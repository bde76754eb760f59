import { printValue } from "@liverl/contract/filter/print-filter";

export const PICKS = ["best", "worst", "latest"] as const;
export type Pick = (typeof PICKS)[number];

const SORT_OF: Record<Pick, string> = { best: "-reward", worst: "reward", latest: "-step" };

/** What finds the picked rollout of a task in a run: the first that this lists. */
export function pickQuery(
  runId: string,
  { task, mode, pick }: { task: string; mode: "train" | "eval"; pick: Pick },
): { runId: string; f: string; sort: string; limit: number } {
  const ended = "(status = succeeded or status = failed)";
  const f = `task = ${printValue(task)} and mode = ${mode} and ${ended}`;
  return { runId, f, sort: SORT_OF[pick], limit: 1 };
}
