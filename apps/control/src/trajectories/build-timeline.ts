import type { TrialTimings } from "@liverl/contract/rollout";
import type { Call } from "@liverl/contract/trajectory";
import type { TrajectoryView } from "@liverl/contract/views";

type Part = TrajectoryView["timeline"][number];

/**
 * The attempt as parts in order: waiting, setting up, each model call, what lies between the calls (tools), verifying.
 * Seconds since it was queued. Pure.
 */
export function buildTimeline({
  queuedAt,
  timings,
  calls,
}: {
  queuedAt: Date;
  timings: TrialTimings | null;
  calls: readonly Call[];
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
  let turn = 0;
  for (const call of calls) {
    if (call.endedAt === null) continue;
    const startS = Math.max(at, secondsAt(call.startedAt));
    const endS = Math.max(startS, secondsAt(call.endedAt));
    if (call.sampledNodeId !== null) turn += 1;
    push("tool", at, startS, turn === 0 ? null : turn - 1 || null);
    push("generate", startS, endS, call.sampledNodeId === null ? null : turn);
    at = endS;
  }
  if (timings && agentEndS !== null) {
    push("tool", at, agentEndS, turn || null);
    at = Math.max(at, agentEndS);
    push("verify", at, at + timings.verifyS, null);
  }
  return parts;
}
