import type { TrialTimings } from "@liverl/contract/rollout";
import type { Termination } from "@liverl/contract/trajectory";
import type { StepRun } from "#trials/harbor-attempt.ts";

/**
 * How a trial of several steps ended, in one word: a cancelled one is cancelled, else the first step whose agent was cut off
 * or failed counts, since its tokens train with the rest. Pure.
 */
export function terminationOf(steps: readonly Pick<StepRun, "termination">[]): Termination {
  const all = steps.map(({ termination }) => termination);
  if (all.length === 0) return "infra-error";
  if (all.includes("cancelled")) return "cancelled";
  return all.find((termination) => termination !== "agent-finished") ?? "agent-finished";
}

/** Seconds that agents and verifiers of all steps took, without what lies between steps. Pure. */
export function secondsOf(
  steps: readonly Pick<StepRun, "agentStartedAt" | "agentEndedAt" | "verifierEndedAt">[],
): Pick<TrialTimings, "agentS" | "verifyS"> {
  const between = (from: Date | undefined, to: Date | undefined) =>
    from && to ? Math.max(0, to.getTime() - from.getTime()) / 1_000 : 0;
  return {
    agentS: steps.reduce((sum, run) => sum + between(run.agentStartedAt, run.agentEndedAt), 0),
    verifyS: steps.reduce((sum, run) => sum + between(run.agentEndedAt, run.verifierEndedAt), 0),
  };
}
