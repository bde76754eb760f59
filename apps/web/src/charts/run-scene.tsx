"use client";
import { isTerminal, type RunDetail, type RunEvent, staleAgeS } from "@liverl/contract/run";
import { useRouter } from "next/navigation";
import { parseAsFloat, useQueryState } from "nuqs";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import {
  type ChartLook,
  type ChartScene,
  ChartSceneProvider,
  PLAIN_LOOK,
} from "#charts/chart-scene.tsx";
import type { ChartSpan } from "#charts/chart-span.ts";
import { createCrosshair } from "#charts/crosshair.ts";
import { FULL_QUERY } from "#charts/full-view/full-look.ts";
import { MetricLimits } from "#charts/metric-limits.tsx";
import { prepareSpans } from "#charts/prepare-spans.ts";
import { useMetricStore } from "#charts/use-metric-store.ts";
import { useTokens } from "#charts/use-tokens.ts";
import { useZoom } from "#charts/use-zoom.ts";
import { stepHref } from "#shell/links.ts";
import { formatAge, formatDuration } from "#ui/format-duration.ts";
import { useNow } from "#ui/use-now.ts";

const DOTTED = new Set<RunEvent["kind"]>(["crash", "alert"]);

/** Series, crosshair, zoom (`r=`) and look that all panels of a run's page share. Without `look` it is plain, smoothed by `sm=`. */
export function RunScene({
  project,
  runId,
  run,
  events,
  look,
  spans,
  children,
}: {
  project: string;
  runId: string;
  run: RunDetail | null;
  events: readonly RunEvent[];
  look?: ChartLook;
  /** Stretches of steps to mark besides those that the events tell of; has to be the same list from render to render. */
  spans?: readonly ChartSpan[];
  children: ReactNode;
}) {
  const router = useRouter();
  const store = useMetricStore(runId);
  const [crosshair] = useState(createCrosshair);
  const [range, setRange] = useZoom();
  const [smoothing] = useQueryState("sm", parseAsFloat.withDefault(0));
  const stale = useStaleWords(run);

  useEffect(() => store.setRange(range), [store, range]);

  const eventSteps = useMemo(
    () => events.flatMap(({ kind, step }) => (step !== null && DOTTED.has(kind) ? [step] : [])),
    [events],
  );
  const notes = useMemo(() => notesBySteps(events), [events]);
  const findings = run?.verdict.findings;
  const marked = useMemo(
    () => [...prepareSpans(events, findings), ...(spans ?? [])],
    [events, findings, spans],
  );
  const shown = useMemo(
    () => look ?? { ...PLAIN_LOOK, smoothing: Math.min(0.99, Math.max(0, smoothing)) },
    [look, smoothing],
  );
  const isGrowing = run === null || !isTerminal(run.status);
  const [fullAxis] = useQueryState("fx", FULL_QUERY.fx);
  const tokens = useTokens(runId, fullAxis === "tokens", isGrowing);
  const hasPoints = run !== null && run.lastPointAt !== null;
  const whenFirst = !isGrowing
    ? "This run ended without it"
    : hasPoints
      ? "Not logged so far"
      : "The first point comes with the first step";
  const scene = useMemo<ChartScene>(
    () => ({
      store,
      crosshair,
      range,
      setRange,
      // By time and tokens the panels of one run are zoomed by its steps all the same.
      window: null,
      setWindow: () => undefined,
      showAll: () => setRange(null),
      look: shown,
      tokens: shown.tokens ?? tokens,
      sourceOf: (key) => ({ runId, key }),
      scaleOf: null,
      eventSteps,
      notes,
      spans: marked,
      stale,
      openStep: (step, mode) => router.push(stepHref(project, runId, step, mode)),
      whenFirst,
      isGrowing,
    }),
    [
      store,
      crosshair,
      range,
      setRange,
      shown,
      tokens,
      eventSteps,
      notes,
      marked,
      stale,
      router,
      project,
      runId,
      whenFirst,
      isGrowing,
    ],
  );
  return (
    <MetricLimits project={project} hasGpus={run?.driver !== "embedded"}>
      <ChartSceneProvider value={scene}>{children}</ChartSceneProvider>
    </MetricLimits>
  );
}

/** What people wrote, by step. */
function notesBySteps(events: readonly RunEvent[]): Map<number, string[]> {
  const notes = new Map<number, string[]>();
  for (const { kind, step, message } of events)
    if (kind === "annotation" && step !== null)
      notes.set(step, [...(notes.get(step) ?? []), message]);
  return notes;
}

/** Words for a running run whose newest point is much older than a step; null otherwise. */
function useStaleWords(run: RunDetail | null): string | null {
  const now = useNow(5_000);
  const ageS = run === null || now === null ? null : staleAgeS(run, now);
  if (run === null || ageS === null) return null;
  return `No data for ${formatAge(ageS)}${run.usualGapS === null ? "" : `; usual gap ${formatDuration(run.usualGapS)}`}`;
}
