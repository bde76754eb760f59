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
    forks: countForks(trajectory),
    ofOtherKind: countOtherKind(records, trajectory),
  };
}

function countForks({ calls }: ProxyTrajectory): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { fork } of calls) if (fork) counts[fork.reason] = (counts[fork.reason] ?? 0) + 1;
  return counts;
}

function countOtherKind(records: readonly AgentLogRecord[], { calls }: ProxyTrajectory): number {
  const roleOf = new Map(records.map((record) => [record.requestId, record.role]));
  return calls.filter(({ kind, requestIds: [first] }) => {
    const role = first === undefined ? undefined : roleOf.get(first);
    return role !== undefined && role !== kind;
  }).length;
}
