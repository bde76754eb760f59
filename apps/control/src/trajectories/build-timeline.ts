import type { TrialTimings } from "@liverl/contract/rollout";
import type { Call } from "@liverl/contract/trajectory";
import type { TrajectoryView } from "@liverl/contract/views";

type Part = TrajectoryView["timeline"][number];

/**
 * The attempt as parts in order: waiting, setting up, each model call, what lies between the calls (tools), verifying, which
 * a task of several steps does after each. Seconds since it was queued. Pure.
 */
export function buildTimeline({
  queuedAt,
  timings,
  calls,
  phases = [],
}: {
  queuedAt: Date;
  timings: TrialTimings | null;
  calls: readonly Call[];
  phases?: TrajectoryView["phases"];
}): Part[] {
  const parts: Part[] = [];
  const push = (phase: Part["phase"], startS: number, endS: number, turn: number | null) => {
    if (endS > startS) parts.push({ phase, startS, endS, turn });
  };
  const secondsAt = (time: string) => (new Date(time).getTime() - queuedAt.getTime()) / 1000;
  let at = 0;
  if (timings) {
    push("queue", 0, timings.queueS, null);
    at = timings.queueS + timings.setupS;
    push("env", timings.queueS, at, null);
  }
  const agentEndS = timings ? at + timings.agentS : null;
  const verdicts = timings ? verdictsOf(phases, secondsAt) : [];
  const pushTools = (fromS: number, toS: number, turn: number | null) => {
    let from = fromS;
    for (const { startS, endS } of verdicts.filter(
      (one) => one.startS >= from && one.endS <= toS,
    )) {
      push("tool", from, startS, turn);
      push("verify", startS, endS, null);
      from = endS;
    }
    push("tool", from, toS, turn);
  };
  let turn = 0;
  for (const call of calls) {
    if (call.endedAt === null) continue;
    const startS = Math.max(at, secondsAt(call.startedAt));
    const endS = Math.max(startS, secondsAt(call.endedAt));
    if (call.sampledNodeId !== null) turn += 1;
    pushTools(at, startS, turn === 0 ? null : turn - 1 || null);
    push("generate", startS, endS, call.sampledNodeId === null ? null : turn);
    at = endS;
  }
  // Where the last of them ends, the trial does.
  if (verdicts.length > 0) {
    pushTools(at, Math.max(at, ...verdicts.map(({ endS }) => endS)), turn || null);
  } else if (timings && agentEndS !== null) {
    push("tool", at, agentEndS, turn || null);
    at = Math.max(at, agentEndS);
    push("verify", at, at + timings.verifyS, null);
  }
  return parts;
}

/** Of a task's steps: those that others follow lie between the calls. */
function verdictsOf(
  phases: TrajectoryView["phases"],
  secondsAt: (time: string) => number,
): { startS: number; endS: number }[] {
  return phases
    .filter(({ phase, step }) => phase === "verifier" && step !== null)
    .flatMap(({ startedAt, endedAt }) =>
      startedAt && endedAt ? { startS: secondsAt(startedAt), endS: secondsAt(endedAt) } : [],
    );
}
