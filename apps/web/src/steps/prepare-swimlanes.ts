import type { RolloutRow } from "@liverl/contract/views";

export const LANE_SORTS = ["slowest", "submitted", "reward", "turns", "oldest weights"] as const;
export type LaneSort = (typeof LANE_SORTS)[number];

export type LanePart = "queue" | "env" | "generate" | "tool" | "wait" | "verify";
export interface Swimlane {
  rolloutId: string;
  label: string;
  reward: number | null;
  turns: number;
  /** Weight versions sampled from; the generate part takes their colours. */
  versions: readonly [number, number] | null;
  parts: { part: LanePart; startS: number; endS: number }[];
  endS: number;
  /** From its start on, without its time in the queue. */
  tookS: number;
}
export interface Swimlanes {
  lanes: Swimlane[];
  /** Rollouts that have timings, of which `lanes` are the first. */
  total: number;
  /** Seconds from the first lane's begin to the last one's end. */
  spanS: number;
  ticksS: number[];
  versions: number[];
}

/** What a lane is put in order by, the smallest first. */
const KEY_OF: Record<LaneSort, (lane: Swimlane) => number> = {
  slowest: (lane) => -lane.tookS,
  submitted: (lane) => lane.parts[0]?.startS ?? 0,
  // Without a reward before the worst one: these are what one looks for.
  reward: (lane) => lane.reward ?? Number.NEGATIVE_INFINITY,
  turns: (lane) => -lane.turns,
  "oldest weights": (lane) => lane.versions?.[0] ?? Number.POSITIVE_INFINITY,
};

/**
 * The first rollouts of a step in an order, on one clock. Turns are not told apart here: generation, tools and what the agent
 * waited for besides them (its own work, a full engine, a heartbeat) stand as their sums, in this order, between set-up and verification.
 */
export function prepareSwimlanes(
  rollouts: readonly RolloutRow[],
  limit: number,
  sort: LaneSort = "slowest",
): Swimlanes {
  const timed = rollouts.flatMap((row) => {
    const { timings, startedAt } = row;
    return timings && startedAt ? [{ row, timings, startMs: Date.parse(startedAt) }] : [];
  });
  const originMs = Math.min(
    ...timed.map(({ startMs, timings }) => startMs - timings.queueS * 1000),
  );
  const lanes = timed.map(({ row, timings, startMs }): Swimlane => {
    const parts: Swimlane["parts"] = [];
    let atS = (startMs - originMs) / 1000 - timings.queueS;
    const add = (part: LanePart, seconds: number) => {
      if (seconds <= 0) return;
      parts.push({ part, startS: atS, endS: atS + seconds });
      atS += seconds;
    };
    add("queue", timings.queueS);
    add("env", timings.setupS);
    // Calls that overlap, of subagents, generate for longer than the agent ran.
    const generateS = Math.min(timings.generateS, timings.agentS);
    const toolS = Math.min(timings.toolS, timings.agentS - generateS);
    add("generate", generateS);
    add("tool", toolS);
    add("wait", timings.agentS - generateS - toolS);
    add("verify", timings.verifyS);
    return {
      rolloutId: row.rolloutId,
      label: `${row.taskName} · ${row.index + 1}`,
      reward: row.reward,
      turns: row.turns ?? 0,
      versions: row.versionSpan,
      parts,
      endS: atS,
      tookS: atS - (startMs - originMs) / 1000,
    };
  });
  const total = lanes.length;
  const keyOf = KEY_OF[sort];
  // Equal keys, infinite ones among them, fall back to the slowest first.
  const inOrder = lanes.toSorted((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)];
    return left === right ? b.tookS - a.tookS : left < right ? -1 : 1;
  });
  const first = inOrder.slice(0, limit);
  const spanS = first.reduce((longest, lane) => Math.max(longest, lane.endS), 0);
  const versions = [...new Set(first.flatMap((lane) => lane.versions ?? []))].sort((a, b) => a - b);
  return { lanes: first, total, spanS, ticksS: secondTicks(spanS), versions };
}

function secondTicks(spanS: number): number[] {
  if (!(spanS > 0)) return [];
  const step =
    [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200].find(
      (size) => spanS / size <= 8,
    ) ?? 14_400;
  return Array.from({ length: Math.floor(spanS / step) + 1 }, (_, at) =>
    Number((at * step).toFixed(3)),
  );
}
