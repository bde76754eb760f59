import type { RunEvent } from "@liverl/contract/run";
import type { DotKind } from "#ui/status-dot.tsx";

/** Shape and word of each kind of event. */
export const EVENT_WORDS = {
  launch: { dot: "run", word: "Launch" },
  status: { dot: "off", word: "Status" },
  boot: { dot: "boot", word: "Boot" },
  checkpoint: { dot: "ok", word: "Checkpoint" },
  "weight-sync": { dot: "off", word: "Weight sync" },
  evaluation: { dot: "ok", word: "Evaluation" },
  "stop-requested": { dot: "run", word: "Stop asked" },
  "checkpoint-requested": { dot: "run", word: "Checkpoint asked" },
  resume: { dot: "run", word: "Resume" },
  crash: { dot: "bad", word: "Crash" },
  restart: { dot: "warn", word: "Restart" },
  attach: { dot: "run", word: "Attach" },
  fork: { dot: "run", word: "Fork" },
  "operator-shell": { dot: "warn", word: "Shell" },
  clean: { dot: "off", word: "Clean" },
  alert: { dot: "warn", word: "Alert" },
  finding: { dot: "warn", word: "Finding" },
  annotation: { dot: "run", word: "Annotation" },
} as const satisfies Record<RunEvent["kind"], { dot: DotKind; word: string }>;

export const EVENT_GROUPS = [
  { value: "all", label: "All" },
  { value: "quiet", label: "Without syncs" },
  { value: "trouble", label: "Trouble" },
  { value: "people", label: "Asked for" },
] as const;
export type EventGroup = (typeof EVENT_GROUPS)[number]["value"];

const KINDS: Record<Exclude<EventGroup, "all" | "quiet">, readonly RunEvent["kind"][]> = {
  trouble: ["crash", "restart", "alert", "finding"],
  people: [
    "launch",
    "attach",
    "fork",
    "operator-shell",
    "stop-requested",
    "checkpoint-requested",
    "resume",
    "clean",
    "annotation",
  ],
};

/** Newest first; every word of the search has to be in the message, kind or actor. */
export function filterEvents(
  events: readonly RunEvent[],
  group: EventGroup,
  search: string,
): RunEvent[] {
  const words = search.trim().toLowerCase().split(/\s+/).filter(Boolean);
  return events
    .filter(({ kind }) =>
      group === "all"
        ? true
        : group === "quiet"
          ? kind !== "weight-sync"
          : KINDS[group].includes(kind),
    )
    .filter(({ message, kind, actor }) => {
      const text = `${message} ${kind} ${actor}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort((a, b) => b.id - a.id);
}
