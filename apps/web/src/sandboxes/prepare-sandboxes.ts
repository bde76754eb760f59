import type { SandboxCounts, SandboxesView } from "@liverl/contract/cluster";
import { SandboxState, type SandboxTrial } from "@liverl/contract/sandbox";

export const SANDBOX_SORTS = ["age", "state", "deadline", "task", "run", "place"] as const;
export type SandboxSort = (typeof SANDBOX_SORTS)[number];

export const STATES: Record<SandboxState, { label: string; color: string }> = {
  building: { label: "Building", color: "var(--ph-train)" },
  pulling: { label: "Pulling", color: "var(--ph-sync)" },
  pending: { label: "Pending", color: "var(--ph-queue)" },
  creating: { label: "Creating", color: "var(--ph-wait)" },
  running: { label: "Running", color: "var(--ph-think)" },
  verifying: { label: "Verifying", color: "var(--ph-verify)" },
  terminating: { label: "Terminating", color: "var(--ph-tool)" },
};

export type SandboxRow = SandboxTrial & {
  run: SandboxesView["runs"][number] | null;
};

const ORDER = SandboxState.options;
const far = Number.POSITIVE_INFINITY;

/** Rows that fit the words and the state, sorted. Pure. */
export function prepareSandboxes(
  { trials, runs }: Pick<SandboxesView, "trials" | "runs">,
  shown: {
    filter: string;
    state: SandboxState | null;
    sort: SandboxSort;
    isDescending: boolean;
  },
): SandboxRow[] {
  const words = shown.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = trials
    .map((trial) => ({ ...trial, run: runs.find(({ id }) => id === trial.runId) ?? null }))
    .filter((row) => shown.state === null || row.state === shown.state)
    .filter((row) => {
      const text = textOf(row);
      return words.every((word) => text.includes(word));
    });
  const compare = COMPARE[shown.sort];
  const sign = shown.isDescending ? -1 : 1;
  return rows.sort((a, b) => sign * compare(a, b) || a.rolloutId.localeCompare(b.rolloutId));
}

const textOf = ({
  rolloutId,
  taskName,
  agent,
  sandbox,
  state,
  image,
  place,
  run,
  runId,
}: SandboxRow) =>
  [rolloutId, taskName, agent, sandbox, STATES[state].label, image, place, run?.name, runId]
    .join(" ")
    .toLowerCase();

const timeOf = (at: string | null) => (at === null ? far : Date.parse(at));
const byTime = (a: string | null, b: string | null) =>
  timeOf(a) === timeOf(b) ? 0 : timeOf(a) - timeOf(b);
const COMPARE: Record<SandboxSort, (a: SandboxRow, b: SandboxRow) => number> = {
  age: (a, b) => byTime(a.since, b.since),
  state: (a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || byTime(a.since, b.since),
  deadline: (a, b) => byTime(a.deadlineAt, b.deadlineAt),
  task: (a, b) => a.taskName.localeCompare(b.taskName),
  run: (a, b) => (a.run?.name ?? a.runId).localeCompare(b.run?.name ?? b.runId),
  place: (a, b) => (a.place ?? "").localeCompare(b.place ?? ""),
};

/** Of all, whatever is filtered. Pure. */
export function countStates(trials: readonly SandboxTrial[]): SandboxCounts {
  const counts: SandboxCounts = {};
  for (const { state } of trials) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** How far a state is on the way to its deadline, 0 to 1; null where it has none. Pure. */
export function shareOfLimit(
  { since, deadlineAt }: Pick<SandboxTrial, "since" | "deadlineAt">,
  nowMs: number,
): number | null {
  if (deadlineAt === null) return null;
  const began = Date.parse(since);
  const limit = Date.parse(deadlineAt) - began;
  return limit <= 0 ? 1 : Math.min(1, Math.max(0, (nowMs - began) / limit));
}

/** The most that there were at one moment, at least 1; moments that nobody looked at count nothing. Pure. */
export function mostAtOnce(history: readonly (SandboxCounts | null)[]): number {
  const totals = history.map((counts) =>
    SandboxState.options.reduce((sum, state) => sum + (counts?.[state] ?? 0), 0),
  );
  return Math.max(1, ...totals);
}
