import type { CompletedSession } from "@liverl/contract/proxy-admin";
import { MODE_SINGLE_OUTPUT } from "@liverl/contract/rollout";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import { countUntrained } from "#trajectory/count-untrained.ts";
import { flattenSegment } from "#trajectory/flatten.ts";
import { routingCoverage } from "#trajectory/routing-coverage.ts";

/** The answer to a completion, from the trajectory alone, so that a repeat after a restart is equal. */
export function summariseTrajectory(trajectory: ProxyTrajectory, path: string): CompletedSession {
  const sampled = trajectory.nodes.filter((node) => node.kind === "sampled");
  const spans = sampled
    .filter((node) => node.versionSpan[0] >= 0)
    .flatMap((node) => node.versionSpan);
  const count = (nodes: readonly { tokenIds: readonly number[] }[]) =>
    nodes.reduce((sum, node) => sum + node.tokenIds.length, 0);
  const milliseconds = trajectory.calls.reduce(
    (sum, call) =>
      sum + (call.endedAt === null ? 0 : Date.parse(call.endedAt) - Date.parse(call.startedAt)),
    0,
  );
  const segments = trajectory.segments.map((segment) => flattenSegment(trajectory, segment.id));
  return {
    sessionId: trajectory.sessionId,
    path,
    segments,
    calls: trajectory.calls.length,
    tokensSampled: count(sampled),
    tokensTotal: count(trajectory.nodes),
    versionSpan: spans.length > 0 ? [Math.min(...spans), Math.max(...spans)] : null,
    truncated: trajectory.calls.some(
      (call) => call.stopReason === "length" || call.fork?.reason === "truncated",
    ),
    untrained: countUntrained(trajectory),
    keptSegments: trajectory.segments.filter(({ reason }) => reason === MODE_SINGLE_OUTPUT).length,
    routingCoverage: routingCoverage(segments),
    generateS: milliseconds / 1000,
  };
}
