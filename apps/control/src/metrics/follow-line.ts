import type { Point } from "#metrics/chunk-points.ts";

/** What comes for a series, in the order in which it came: a point, or the source's own word that it goes on from `restart`. */
export type Arrival =
  | { point: Point; order: number; hasClock: boolean }
  | { restart: number; wallMs: number; order: number; seq: number };

/** A series as it is stored before the arrivals. */
export interface StoredLine {
  /** Points from the lowest step that arrives on. */
  points: readonly Point[];
  lastStep: number | null;
  lastWallMs: number;
  /** Steps that came again since the series went back, ascending; empty while it goes forward. */
  backSteps: readonly number[];
  /** Whether one of them changed what was there. */
  backProof: boolean;
  /** The run went back since the series was written last: it takes part with its first point that goes back. */
  isBehindResume: boolean;
}

/** A place where the series went on from an earlier step. */
export interface Turn {
  /** The first step that was logged again. */
  from: number;
  wallMs: number;
  order: number;
  seq: number;
  /** The newest step before it that stays; null where none does. */
  keptStep: number | null;
  kind: "seen" | "told" | "joined";
}

export interface FollowedLine {
  turns: Turn[];
  /** All points that stay, by step. */
  line: Map<number, Point>;
  head: number | null;
  backSteps: number[];
  backProof: boolean;
}

/** Steps that must come again before a series is taken to have gone back: one may be late, or sent twice. */
const LEAST_STEPS = 2;

/**
 * Follows one series through what arrived. It goes back where at least two steps come again in ascending order, none of them is
 * older by the clock than what was there, and one of them changes a value. Points that were there from the first of those steps on
 * are then left out, for the first `most` turns of that kind. Pure.
 */
export function followLine(
  stored: StoredLine,
  arrivals: readonly Arrival[],
  most = Number.POSITIVE_INFINITY,
): FollowedLine {
  const line = new Map(stored.points.map((point) => [point.step, point]));
  const turns: Turn[] = [];
  let head = stored.lastStep;
  let headWallMs = stored.lastWallMs;
  let back: { steps: number[]; proof: boolean; first: Point | null; order: number } = {
    ...{ steps: [...stored.backSteps], proof: stored.backProof, first: null, order: -1 },
  };
  let joins = stored.isBehindResume;
  const forget = () => {
    back = { steps: [], proof: false, first: null, order: -1 };
  };
  /** Leaves out what is there from a step on, but for the steps that came again. */
  const turn = (from: number, kept: readonly number[], found: Omit<Turn, "from" | "keptStep">) => {
    const again = new Set(kept);
    let keptStep: number | null = null;
    let lost = 0;
    for (const step of [...line.keys()])
      if (step >= from && !again.has(step)) {
        line.delete(step);
        lost++;
      } else if (step < from) keptStep = Math.max(keptStep ?? step, step);
    if (lost > 0 || found.kind !== "told") turns.push({ from, keptStep, ...found });
    head = kept.at(-1) ?? keptStep ?? (head !== null && head < from ? head : null);
    forget();
  };
  for (const arrival of arrivals) {
    const { order } = arrival;
    if ("restart" in arrival) {
      const { wallMs, seq } = arrival;
      turn(arrival.restart, [], { kind: "told", wallMs, order, seq });
      continue;
    }
    const { point, hasClock } = arrival;
    const { step } = point;
    if (head === null || step > head) {
      forget();
      [head, joins] = [step, false];
      headWallMs = Math.max(headWallMs, point.wallMs);
      line.set(step, point);
      continue;
    }
    const before = line.get(step);
    const changes = before && (before.value !== point.value || before.flag !== point.flag);
    line.set(step, point);
    // What was measured earlier than the head came late; what changes nothing was sent twice.
    if (point.wallMs < headWallMs) continue;
    if (before && !changes && back.steps.length === 0 && !joins) continue;
    if (joins) {
      turn(step, [step], { kind: "joined", wallMs: point.wallMs, order, seq: point.seq });
      [joins, headWallMs] = [false, point.wallMs];
      continue;
    }
    const last = back.steps.at(-1);
    if (last === undefined || step < last)
      back = { steps: [step], proof: false, first: point, order };
    else if (step > last) back.steps.push(step);
    const from = back.steps[0] ?? step;
    // Another spacing of steps lies between those that were there: only a clock of the source's own tells which came first.
    const passed = hasClock && point.wallMs > headWallMs && hasOlder(line, from, step, headWallMs);
    if (changes || passed) back.proof = true;
    if (back.steps.length < LEAST_STEPS || !back.proof) continue;
    if (turns.filter(({ kind }) => kind === "seen").length >= most) continue;
    const first = back.first ?? line.get(from) ?? point;
    const at = { wallMs: first.wallMs, order: Math.max(0, back.order), seq: first.seq };
    turn(from, back.steps, { kind: "seen", ...at });
    headWallMs = point.wallMs;
  }
  return { turns, line, head, backSteps: back.steps, backProof: back.proof };
}

function hasOlder(
  line: ReadonlyMap<number, Point>,
  from: number,
  to: number,
  wallMs: number,
): boolean {
  for (const [step, point] of line)
    if (step >= from && step <= to && point.wallMs <= wallMs) return true;
  return false;
}
