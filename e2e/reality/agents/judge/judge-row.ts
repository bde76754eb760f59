import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import type { AgentLogRecord } from "#reality/agents/engine/scripted-engine.ts";
import { compareTrajectory } from "#reality/agents/judge/compare-trajectory.ts";
import { countUntrained } from "#reality/agents/judge/count-trained.ts";
import { countBreaks } from "#reality/agents/judge/main-line.ts";
import type { Row } from "#reality/agents/rows/row.ts";
import type { Scenario } from "#reality/agents/scenarios/scenario.ts";

/** Whether all that a row claims holds; `complaints` are what client, script and task had to say. */
export function judgeRow({
  records,
  trajectory,
  compactions,
  scenario,
  complaints,
}: {
  records: readonly AgentLogRecord[];
  trajectory: ProxyTrajectory;
  compactions: number;
  scenario: Scenario;
  complaints: readonly (string | null)[];
}): Omit<Row, "client" | "scenario" | "wallS" | "nonCanonical"> {
  const { requests, exact, tokens, faults } = compareTrajectory(records, trajectory);
  const breaks = countBreaks(records);
  const untrained = countUntrained(records, trajectory);
  const forks: Record<string, number> = {};
  for (const { fork } of trajectory.calls)
    if (fork) forks[fork.reason] = (forks[fork.reason] ?? 0) + 1;
  const minCompactions = scenario.minCompactions ?? 0;
  const reasons = [
    ...complaints,
    ...faults.slice(0, 5),
    breaks === compactions
      ? null
      : `the main line breaks ${breaks} times at ${compactions} compactions`,
    untrained > 0 ? `${untrained} tokens of the main line are not trained` : null,
    compactions < minCompactions ? `only ${compactions} of ${minCompactions} compactions` : null,
    requests < scenario.minCalls ? `only ${requests} of ${scenario.minCalls} calls` : null,
  ].filter((reason) => reason !== null);
  return {
    outcome: reasons.length === 0 ? "ok" : "failed",
    reasons,
    calls: trajectory.calls.length,
    requests,
    exact,
    tokens,
    breaks,
    compactions,
    forks,
  };
}
