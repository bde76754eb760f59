import { setImmediate as nextTurn } from "node:timers/promises";
import type { Advisory, Finding, Health } from "@liverl/contract/run";
import { CHUNK_STEPS, type Points, slotOf } from "#metrics/chunk-points.ts";
import type { Resumption } from "#metrics/is-on-line.ts";
import { MERGE_STEPS, type RunEvidence } from "#verdict/evidence.ts";
import { EXPLAINS, judgeRun, OUTWEIGHS } from "#verdict/judge-run.ts";
import { NEWEST_CHUNKS, type Signals } from "#verdict/load-signals.ts";

/** All that the findings of a run are taken from. */
export interface RunHistory {
  /** Of the whole run, without abandoned steps. */
  signals: Signals;
  /** In the order in which they happened. */
  resumptions: readonly Resumption[];
  names?: ReadonlyMap<string, string>;
  judgedAs: Pick<RunEvidence, "thresholds" | "isColocated" | "equalTrains" | "hasGpus">;
}

interface Tracked extends Omit<Finding, "fromAt" | "toAt"> {
  fromMs: number;
  toMs: number | null;
}

/** Findings up to a step. Never changed: each step makes a new one, so that any of them can be kept to go on from. */
export interface FindingState {
  step: number;
  atMs: number;
  /** Those that go on, and those that may come back within a few steps. */
  open: readonly Tracked[];
  closed: readonly Tracked[];
}

export const NO_FINDINGS: FindingState = {
  step: Number.NEGATIVE_INFINITY,
  atMs: Number.NaN,
  open: [],
  closed: [],
};

/** A crash is an event of its own, and a reward that did not rise for a while is no incident. */
const NOT_KEPT: readonly string[] = ["crashes", "reward-flat"];
/** How long the event loop may wait. */
const BUSY_MS = 20;
/** Steps of a run that are judged one by one; of a longer run these are the newest. */
const MAX_STEPS = 20_000;
/** A gap that is shorter is no stall under any threshold. */
const LEAST_GAP_MS = 60_000;

/**
 * Judges a run at each step after `from` as if it were the newest, and remembers what was found. So the findings are the same
 * whether the points came one by one or all at once. `onStep` is given each state on the way.
 */
export async function replayFindings(
  history: RunHistory,
  from: FindingState,
  onStep: (state: FindingState) => void = () => undefined,
): Promise<FindingState> {
  let state = from;
  let sinceMs = performance.now();
  const times = timesOf(history.signals);
  const steps = [...times.keys()].filter((step) => step > from.step).sort((a, b) => a - b);
  for (const step of steps.slice(-MAX_STEPS)) {
    const atMs = times.get(step) ?? 0;
    const stall = findStall(history, state, atMs);
    if (stall) state = { ...state, closed: [...state.closed, { ...stall, toStep: step }] };
    const { advisories } = judgeRun(evidenceAt(history, step, atMs));
    const alarms = advisories.filter(({ id, tier }) => tier === "alarm" && !NOT_KEPT.includes(id));
    state = advance(state, { step, atMs }, { alarms, times });
    onStep(state);
    if (performance.now() - sinceMs < BUSY_MS) continue;
    await nextTurn();
    sinceMs = performance.now();
  }
  return state;
}

/** The findings of a state, by their first step. */
export function findingsOf({ open, closed }: FindingState): Finding[] {
  return [...closed, ...open]
    .sort((a, b) => a.fromStep - b.fromStep)
    .map(({ fromMs, toMs, ...finding }) => ({
      ...finding,
      fromAt: new Date(fromMs).toISOString(),
      toAt: toMs === null ? null : new Date(toMs).toISOString(),
    }));
}

/** Whether a finding that ended can no longer come back as the same one. */
export function isOver({ toStep }: Pick<Finding, "toStep">, newestStep: number): boolean {
  return toStep !== null && newestStep - toStep >= MERGE_STEPS;
}

/** When each step was logged. */
function timesOf(signals: Signals): Map<number, number> {
  const times = new Map<number, number>();
  for (const { step, wallMs } of signals.values())
    for (const [i, one] of step.entries())
      times.set(one, Math.max(times.get(one) ?? Number.NEGATIVE_INFINITY, wallMs[i] ?? 0));
  return times;
}

/** What a verdict had been taken from at a step. */
function evidenceAt(
  { signals, resumptions, judgedAs, names }: RunHistory,
  step: number,
  nowMs: number,
) {
  const first = (slotOf(step) - NEWEST_CHUNKS + 1) * CHUNK_STEPS;
  const known = new Map<string, Points>();
  for (const [key, points] of signals) {
    const [from, to] = [firstAt(points.step, first), firstAt(points.step, step + 1)];
    if (from < to) known.set(key, slicePoints(points, from, to));
  }
  return {
    ...judgedAs,
    ...(names && { names }),
    ...{ status: "running" as const, statusReason: null, crashes: [] },
    ...{ signals: known, lastPointMs: nowMs, nowMs },
    attemptSinceMs: resumptions.findLast(({ fromStep }) => fromStep < step)?.sinceMs ?? null,
  };
}

/** Index of the first step that is at least `least`. */
function firstAt(steps: readonly number[], least: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function slicePoints(points: Points, from: number, to: number): Points {
  return {
    step: points.step.slice(from, to),
    value: points.value.slice(from, to),
    flag: points.flag.slice(from, to),
    wallMs: points.wallMs.slice(from, to),
    seq: points.seq.slice(from, to),
  };
}

/** A stall between two steps, which only the time between them tells of. */
function findStall(history: RunHistory, { step, atMs }: FindingState, nextMs: number) {
  if (!(nextMs - atMs >= LEAST_GAP_MS)) return null;
  if (history.resumptions.some(({ sinceMs }) => sinceMs > atMs && sinceMs <= nextMs)) return null;
  const evidence = { ...evidenceAt(history, step, atMs), nowMs: nextMs };
  const stall = judgeRun(evidence).advisories.find(({ id }) => id === "stall");
  return stall ? { ...trackedOf(stall, { step, atMs }), toMs: nextMs } : null;
}

const trackedOf = (
  { id, level, title, detail, metricKey }: Advisory,
  { step, atMs }: { step: number; atMs: number },
): Tracked => ({
  ...{ sign: id, level, title, detail, metricKey },
  ...{ fromStep: step, toStep: null, fromMs: atMs, toMs: null },
});

const LEVELS: readonly Health[] = ["unknown", "ok", "warn", "bad"];
const worst = (a: Health, b: Health) => (LEVELS.indexOf(a) > LEVELS.indexOf(b) ? a : b);

/** The state one step on, with the alarms that are on at that step. Pure. */
function advance(
  state: FindingState,
  at: { step: number; atMs: number },
  { alarms, times }: { alarms: readonly Advisory[]; times: ReadonlyMap<number, number> },
): FindingState {
  const before = state.open.map((one) => {
    const alarm = alarms.find(({ id }) => id === one.sign);
    if (alarm && isSame(one, alarm)) return { one: continued(one, alarm, at), isOpen: true };
    const ended = one.toStep === null ? { ...one, toStep: at.step, toMs: at.atMs } : one;
    return { one: ended, isOpen: !alarm && !isOver(ended, at.step) };
  });
  const open = before.flatMap(({ one, isOpen }) => (isOpen ? [one] : []));
  const closed = [...state.closed, ...before.flatMap(({ one, isOpen }) => (isOpen ? [] : [one]))];
  for (const alarm of alarms) {
    if (open.some(({ sign }) => sign === alarm.id)) continue;
    const begun = beginOf(alarm, at, closed);
    const fromMs = times.get(begun.fromStep) ?? at.atMs;
    if (!isExplained(begun, [...closed, ...open]))
      open.push(continued({ ...begun, fromMs }, alarm, at));
  }
  return { ...at, open, closed };
}

/** A sign that names a later step than the one at which the finding ended is a new one. */
function isSame({ toStep }: Tracked, { sinceStep }: Advisory): boolean {
  return toStep === null || sinceStep === null || sinceStep <= toStep + MERGE_STEPS;
}

function continued(one: Tracked, alarm: Advisory, at: { step: number; atMs: number }): Tracked {
  const { level, title, detail, untilStep } = alarm;
  // The title of a sign that is over names its end, which the finding has as a number.
  const words = untilStep === null ? { title, detail } : { detail };
  const toMs = untilStep === null ? null : (one.toMs ?? at.atMs);
  return { ...one, ...words, level: worst(one.level, level), toStep: untilStep, toMs };
}

function beginOf(
  alarm: Advisory,
  at: { step: number; atMs: number },
  closed: readonly Tracked[],
): Tracked {
  const before = closed.findLast(({ sign }) => sign === alarm.id)?.toStep ?? null;
  const since = alarm.sinceStep ?? at.step;
  // Where the same sign was over in between, it began again now.
  const step = before !== null && since < before ? at.step : since;
  return { ...trackedOf(alarm, at), fromStep: step };
}

/** The last steps of what another finding explained are no finding of their own. */
function isExplained({ sign, fromStep }: Tracked, others: readonly Tracked[]): boolean {
  return others.some(
    (other) =>
      [...(EXPLAINS[other.sign] ?? []), ...(OUTWEIGHS[other.sign] ?? [])].includes(sign) &&
      other.toStep !== null &&
      fromStep >= other.fromStep &&
      fromStep <= other.toStep + MERGE_STEPS,
  );
}
