import type { ListRuns, RunPage } from "@liverl/contract/list-runs";
import { ACTIVE_RUN_STATUSES, TERMINAL_RUN_STATUSES } from "@liverl/contract/run";

/** Tabs of the table of runs, each with what it asks for beside the filter. */
export const RUN_VIEWS = [
  { id: "all", label: "All", asks: {} },
  { id: "active", label: "Active", asks: { status: [...ACTIVE_RUN_STATUSES] } },
  { id: "look", label: "Needs a look", asks: { look: true } },
  { id: "ended", label: "Ended", asks: { status: [...TERMINAL_RUN_STATUSES] } },
] as const satisfies {
  id: string;
  label: string;
  asks: Pick<Partial<ListRuns>, "status" | "look">;
}[];
export type RunView = (typeof RUN_VIEWS)[number]["id"];
export const RUN_VIEW_IDS = RUN_VIEWS.map(({ id }) => id);

/** How many runs each tab has under the present filter, from the counts of any of them. */
export function countViews({ status, look }: RunPage["counts"]): Record<RunView, number> {
  const sum = (statuses: readonly (keyof typeof status)[]) =>
    statuses.reduce((total, one) => total + status[one], 0);
  const active = sum(ACTIVE_RUN_STATUSES);
  const ended = sum(TERMINAL_RUN_STATUSES);
  return { all: active + ended, active, look, ended };
}

/** Words are read from their first letter, numbers and times from the largest. */
const RISING_FIRST: readonly string[] = ["name", "status"];

/** The order after a click on a column: its own first direction, then the other. */
export function nextRunSort(sort: string, field: string): string {
  if (sort === field) return `-${field}`;
  if (sort === `-${field}`) return field;
  return RISING_FIRST.includes(field) ? field : `-${field}`;
}
