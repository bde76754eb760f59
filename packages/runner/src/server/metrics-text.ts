import { RolloutStatus } from "@liverl/contract/rollout";
import type { RunnerContext } from "#context.ts";

/** Prometheus' text format. */
export function metricsText(ctx: RunnerContext): string {
  const counts = new Map<string, number>(RolloutStatus.options.map((status) => [status, 0]));
  for (const { change } of ctx.trials.values())
    counts.set(change.status, (counts.get(change.status) ?? 0) + 1);
  const { heapUsed, rss } = process.memoryUsage();
  const lines = [
    "# HELP liverl_runner_rollouts Rollouts by status.",
    "# TYPE liverl_runner_rollouts gauge",
    ...[...counts].map(([status, count]) => `liverl_runner_rollouts{status="${status}"} ${count}`),
    "# HELP liverl_runner_agent_worker_restarts_total Agent workers that died.",
    "# TYPE liverl_runner_agent_worker_restarts_total counter",
    `liverl_runner_agent_worker_restarts_total ${ctx.agents.restarts}`,
    "# HELP liverl_runner_runs Registered runs.",
    "# TYPE liverl_runner_runs gauge",
    `liverl_runner_runs ${ctx.runs.size}`,
    "# HELP liverl_runner_memory_bytes Memory of the runner's own process.",
    "# TYPE liverl_runner_memory_bytes gauge",
    `liverl_runner_memory_bytes{kind="heap"} ${heapUsed}`,
    `liverl_runner_memory_bytes{kind="rss"} ${rss}`,
  ];
  return `${lines.join("\n")}\n`;
}
