import { isTerminal, type RunSummary } from "@liverl/contract/run";

export const RUN_VIEWS = [
  { id: "all", label: "All" },
  { id: "active", label: "Active" },
  { id: "look", label: "Needs a look" },
  { id: "ended", label: "Ended" },
] as const;
export type RunView = (typeof RUN_VIEWS)[number]["id"];
export const RUN_VIEW_IDS = RUN_VIEWS.map(({ id }) => id);

export const RUN_SORTS = [
  "started",
  "name",
  "status",
  "step",
  "reward",
  "held-out",
  "mfu",
  "idle",
  "step-time",
  "hours",
] as const;
export type RunSort = (typeof RUN_SORTS)[number];

/** Whether a run stopped on its own or a mark on it is not green, as its row shows it: an ended run keeps its marks. */
export function wantsLook(run: RunSummary): boolean {
  if (run.status === "failed") return true;
  return Object.values(run.health).some((health) => health === "warn" || health === "bad");
}

function isIn(view: RunView, run: RunSummary): boolean {
  switch (view) {
    case "all":
      return true;
    case "active":
      return !isTerminal(run.status) && run.status !== "draft";
    case "look":
      return wantsLook(run);
    case "ended":
      return isTerminal(run.status);
  }
}

export function countViews(runs: readonly RunSummary[]): Record<RunView, number> {
  const counts: Record<RunView, number> = { all: 0, active: 0, look: 0, ended: 0 };
  for (const run of runs) for (const view of RUN_VIEW_IDS) if (isIn(view, run)) counts[view] += 1;
  return counts;
}

const VALUE_OF: Record<RunSort, (run: RunSummary) => string | number | null> = {
  started: (run) => new Date(run.startedAt ?? run.createdAt).getTime(),
  name: (run) => run.name,
  status: (run) => run.status,
  step: (run) => run.step,
  reward: (run) => run.reward.last,
  "held-out": (run) => run.heldOutReward,
  mfu: (run) => run.mfu,
  idle: (run) => run.idleRatio,
  "step-time": (run) => run.stepTimeS,
  hours: (run) => run.spent?.deviceHours ?? null,
};

/** The rows of the table. A missing value stands last in either direction; equals keep the newest first. */
export function prepareRuns(
  runs: readonly RunSummary[],
  wish: { view: RunView; sort: RunSort; isDescending: boolean },
): RunSummary[] {
  const sortKeyOf = VALUE_OF[wish.sort];
  const sign = wish.isDescending ? -1 : 1;
  return runs
    .filter((run) => isIn(wish.view, run))
    .sort((a, b) => {
      const left = sortKeyOf(a);
      const right = sortKeyOf(b);
      if (left === null || right === null)
        return left === right ? newestFirst(a, b) : left === null ? 1 : -1;
      const order =
        typeof left === "string" && typeof right === "string"
          ? left.localeCompare(right)
          : Number(left) - Number(right);
      return order === 0 ? newestFirst(a, b) : order * sign;
    });
}

function newestFirst(a: RunSummary, b: RunSummary): number {
  return new Date(b.createdAt).getTime() - new Date(a.createdAt).getTime();
}
