import type { RunEvent } from "@liverl/contract/run";
import { prepareStepTicks, prepareTicks } from "#charts/prepare-ticks.ts";
import { prepareRibbon, type Ribbon } from "#overview/prepare-ribbon.ts";

/** `time`: seconds since the run's first event. */
export type Alignment = "step" | "time";
export interface EventsOfRun {
  runId: string;
  /** As the server lists them: in the order in which they happened. */
  events: readonly RunEvent[];
}
export interface AlignedRibbons {
  ribbons: Map<string, Ribbon>;
  ticks: { at: number; left: number }[];
}

/** The events of several runs on lines of one scale, `width` pixels wide. */
export function prepareAligned(
  runs: readonly EventsOfRun[],
  { by, range, width }: { by: Alignment; range: readonly [number, number] | null; width: number },
): AlignedRibbons {
  const placed = runs.map(({ runId, events }) => ({
    runId,
    events: by === "step" ? events : inSeconds(events),
  }));
  const x = (by === "step" ? range : null) ?? extentOf(placed);
  const ribbons = new Map(
    placed.map(({ runId, events }) => [runId, prepareRibbon(events, width, { steps: x })]),
  );
  const left = (at: number) => ((at - x[0]) / (x[1] - x[0] || 1)) * width;
  return { ribbons, ticks: ticksOf(by, x, width).map((at) => ({ at, left: left(at) })) };
}

function ticksOf(by: Alignment, [from, to]: readonly [number, number], width: number): number[] {
  if (by === "step") return prepareStepTicks(from, to, width / 2);
  const inside = prepareTicks(0, to, Math.max(2, Math.floor(width / 160)));
  return inside.filter((at) => at <= to);
}

/** Events with the seconds since the first one in the place of their steps. */
function inSeconds(events: readonly RunEvent[]): RunEvent[] {
  const first = events[0];
  if (first === undefined) return [];
  const beganMs = Date.parse(first.at);
  return events.map((event) => ({ ...event, step: (Date.parse(event.at) - beganMs) / 1000 }));
}

function extentOf(runs: readonly EventsOfRun[]): [number, number] {
  const places = runs.flatMap(({ events }) => events.flatMap(({ step }) => step ?? []));
  const last = places.reduce((most, at) => Math.max(most, at), 0);
  return [0, Math.max(1, last)];
}
