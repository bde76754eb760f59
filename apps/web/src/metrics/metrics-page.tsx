"use client";
import type { RunEvent } from "@liverl/contract/run";
import { isTerminal } from "@liverl/contract/run";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ChartLook } from "#charts/chart-scene.tsx";
import { RunScene } from "#charts/run-scene.tsx";
import { useTokens } from "#charts/use-tokens.ts";
import { MetricsBody } from "#metrics/metrics-body.tsx";
import { METRICS_SHORTCUTS } from "#metrics/use-metrics-keys.ts";
import { useMetricsView } from "#metrics/use-metrics-view.ts";
import { RunFrame } from "#runs/run-frame.tsx";
import { useRun } from "#runs/use-run.ts";
import { useRunRoute } from "#shell/use-route.ts";
import { useTRPC } from "#trpc/client.tsx";

const NO_EVENTS: RunEvent[] = [];

/** Every series of the run, by prefix, in a layout that can be saved and shared. */
export function MetricsPage() {
  const { project, runId } = useRunRoute();
  const trpc = useTRPC();
  const run = useRun(runId).data ?? null;
  const events =
    useQuery(trpc.run.events.queryOptions({ id: runId, limit: 2_000 })).data?.events ?? NO_EVENTS;
  const view = useMetricsView(project, runId);
  const { x, smoothing, isLog, isClipped, hasBand } = view.state;
  const isGrowing = run === null || !isTerminal(run.status);
  const tokens = useTokens(runId, x === "tokens", isGrowing);
  const look = useMemo<ChartLook>(
    () => ({ x, tokens, smoothing, isLog, isClipped, hasBand }),
    [x, tokens, smoothing, isLog, isClipped, hasBand],
  );
  return (
    <RunFrame tab="metrics" shortcuts={METRICS_SHORTCUTS} fills>
      <RunScene project={project} runId={runId} run={run} events={events} look={look}>
        <MetricsBody project={project} runId={runId} run={run} events={events} view={view} />
      </RunScene>
    </RunFrame>
  );
}
