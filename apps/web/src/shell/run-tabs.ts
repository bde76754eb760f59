/** Tabs of a run, in order. */
export const RUN_TABS = [
  { id: "overview", label: "Overview" },
  { id: "metrics", label: "Metrics" },
  { id: "steps", label: "Steps" },
  { id: "rollouts", label: "Rollouts" },
  { id: "tasks", label: "Tasks" },
  { id: "checkpoints", label: "Checkpoints" },
  { id: "logs", label: "Logs" },
  { id: "events", label: "Events" },
  { id: "config", label: "Config" },
] as const;

export type RunTab = (typeof RUN_TABS)[number]["id"];

/** The path after the run. The steps tab opens the newest step; before the first one, a page that waits for it. */
export function runTabTail(tab: RunTab, newestStep: number): string {
  if (tab === "overview") return "";
  return tab === "steps" ? `steps/${newestStep > 0 ? newestStep : "latest"}` : tab;
}
