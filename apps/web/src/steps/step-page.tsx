"use client";
import type { StepView } from "@liverl/contract/views";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { parseAsStringLiteral, useQueryState, useQueryStates } from "nuqs";
import { Fragment, useMemo } from "react";
import { formatOfKey, formatValue } from "#charts/value-format.ts";
import { MetricsOnly } from "#runs/metrics-only.tsx";
import { RunFrame } from "#runs/run-frame.tsx";
import { useRun } from "#runs/use-run.ts";
import { groupHref, runHref, stepHref, trajectoryHref } from "#shell/links.ts";
import { useRoutePart, useRunRoute } from "#shell/use-route.ts";
import { GroupsPanel } from "#steps/groups-panel.tsx";
import { nearestStep, neighbourSteps, stepOfPart } from "#steps/neighbour-steps.ts";
import { prepareAskedOnly } from "#steps/prepare-asked-only.ts";
import { prepareScatter } from "#steps/prepare-scatter.ts";
import { LANE_SORTS, prepareSwimlanes } from "#steps/prepare-swimlanes.ts";
import { ScatterPanel } from "#steps/scatter-panel.tsx";
import { StepHead } from "#steps/step-head.tsx";
import { StepHeadlines } from "#steps/step-headlines.tsx";
import styles from "#steps/steps.module.css";
import { SwimlanePanel } from "#steps/swimlane-panel.tsx";
import { UnknownStep } from "#steps/unknown-step.tsx";
import { useTRPC } from "#trpc/client.tsx";
import { isNotFound } from "#ui/describe-error.ts";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Link } from "#ui/link.tsx";
import { Panel } from "#ui/panel.tsx";
import { Skeleton } from "#ui/skeleton.tsx";
import { usePageKeys } from "#ui/use-page-keys.ts";

const LANES_SHOWN = 40;
const LANE_STATE = {
  order: parseAsStringLiteral(LANE_SORTS).withDefault("slowest"),
  lanes: parseAsStringLiteral(["rows", "all"]).withDefault("rows"),
};
const REFRESH_MS = 2_000;
const MODES = ["train", "eval"] as const;
const SHORTCUTS = [{ keys: ["←", "→"], does: "Step before, step after" }];

export function StepPage() {
  const { project, runId } = useRunRoute();
  const part = useRoutePart("step");
  const [mode] = useQueryState("mode", parseAsStringLiteral(MODES).withDefault("train"));
  const queries = useQueryClient();
  const trpc = useTRPC();
  const router = useRouter();
  const run = useRun(runId);
  const list = useQuery(
    trpc.step.list.queryOptions(
      { runId, mode },
      { refetchInterval: run.data?.endedAt ? false : REFRESH_MS },
    ),
  );
  const steps = list.data?.steps ?? [];
  const step = stepOfPart(part, steps);
  const query = useQuery(
    trpc.step.get.queryOptions(
      { runId, step: step ?? 0, mode },
      {
        enabled: step !== null,
        placeholderData: keepPreviousData,
        refetchInterval: (current) =>
          current.state.data && current.state.data.pending === 0 && run.data?.endedAt
            ? false
            : REFRESH_MS,
      },
    ),
  );
  const neighbours = neighbourSteps(steps, step ?? 0);
  const go = (to: number) => router.push(stepHref(project, runId, to, mode));
  /** Not every step was evaluated: the other mode opens at the nearest step that it has. */
  const toMode = async (next: (typeof MODES)[number]) => {
    const other = await queries
      .fetchQuery(trpc.step.list.queryOptions({ runId, mode: next }))
      .catch(() => null);
    const nearest = nearestStep(other?.steps ?? [], step ?? 0);
    router.push(stepHref(project, runId, nearest ?? "latest", next));
  };
  usePageKeys([
    [
      "ArrowLeft",
      (event) => !isWalked(event) && neighbours.previous !== null && go(neighbours.previous),
    ],
    ["ArrowRight", (event) => !isWalked(event) && neighbours.next !== null && go(neighbours.next)],
  ]);
  const error = query.error ?? (step === null ? list.error : null);
  const isUnknown = steps.length > 0 && (step === null || isNotFound(query.error));
  return (
    <RunFrame
      tab="steps"
      crumbs={step === null || isUnknown ? [] : [{ label: `Step ${step}` }]}
      shortcuts={SHORTCUTS}
    >
      {isUnknown ? (
        <UnknownStep
          part={part}
          steps={steps}
          mode={mode}
          hrefOf={(known) => stepHref(project, runId, known, mode)}
        />
      ) : error && query.data === undefined ? (
        <ErrorState
          what={step === null ? "The steps could not be read" : `Step ${step} could not be read`}
          error={error}
          onRetry={() => void (query.error ? query : list).refetch()}
        />
      ) : step === null && list.data ? (
        <NoStep
          mode={mode}
          attachedTo={run.data?.driver === "attached" ? project : null}
          trainHref={stepHref(project, runId, "latest")}
        />
      ) : query.data ? (
        <StepBody
          view={query.data}
          isStale={query.isPlaceholderData}
          head={
            <StepHead
              view={query.data}
              mode={mode}
              neighbours={neighbours}
              onStep={go}
              onMode={(next) => void toMode(next)}
              logHref={(at) =>
                runHref(project, runId, `logs?${new URLSearchParams({ src: "runner", t: at })}`)
              }
              verdictHref={(rolloutId) =>
                `${trajectoryHref(project, runId, rolloutId)}?tab=verifier`
              }
            />
          }
          empty={
            run.data?.driver === "attached" ? (
              <MetricsOnly project={project} what="rollouts" />
            ) : (
              <EmptyState title="No rollouts recorded for this step">
                {run.data?.endedAt ? null : "They appear here as soon as they start."}
              </EmptyState>
            )
          }
          filterHrefOf={(f) => runHref(project, runId, `rollouts?${new URLSearchParams({ f })}`)}
          groupHrefOf={(groupId) => groupHref(project, runId, groupId)}
          rolloutHrefOf={(rolloutId) => trajectoryHref(project, runId, rolloutId)}
        />
      ) : (
        <StepSkeleton />
      )}
    </RunFrame>
  );
}

function NoStep({
  mode,
  attachedTo,
  trainHref,
}: {
  mode: (typeof MODES)[number];
  /** The project of an attached run; null for other runs. */
  attachedTo: string | null;
  trainHref: string;
}) {
  const toTraining = (
    <Link className="lnk" href={trainHref}>
      Training steps
    </Link>
  );
  if (attachedTo !== null) return <MetricsOnly project={attachedTo} what="rollouts" />;
  return (
    <EmptyState
      title={mode === "eval" ? "No evaluations yet" : "No steps yet"}
      action={mode === "eval" ? toTraining : undefined}
    >
      The first one appears here once its first rollout is done.
    </EmptyState>
  );
}

/** A focused plot takes the arrow keys for itself. */
function isWalked(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.closest("[data-walks]") !== null;
}

function StepBody({
  view,
  isStale,
  head,
  empty,
  filterHrefOf,
  groupHrefOf,
  rolloutHrefOf,
}: {
  view: StepView;
  isStale: boolean;
  head: React.ReactNode;
  /** In place of the rollouts where there are none. */
  empty: React.ReactNode;
  filterHrefOf: (filter: string) => string;
  groupHrefOf: (groupId: string) => string;
  rolloutHrefOf: (rolloutId: string) => string;
}) {
  const rollouts = useMemo(() => view.groups.flatMap((group) => group.rollouts), [view]);
  const scatter = useMemo(
    () => prepareScatter(rollouts, view.lengthCap),
    [rollouts, view.lengthCap],
  );
  const [lanes, setLanes] = useQueryStates(LANE_STATE);
  const swimlanes = useMemo(
    () =>
      prepareSwimlanes(
        rollouts,
        lanes.lanes === "all" ? rollouts.length : LANES_SHOWN,
        lanes.order,
      ),
    [rollouts, lanes],
  );
  return (
    <div className={styles.page} aria-busy={isStale} style={isStale ? { opacity: 0.6 } : undefined}>
      {head}
      <StepHeadlines
        headlines={view.headlines}
        previousStep={view.step > view.firstStep ? view.step - 1 : null}
      />
      {rollouts.length === 0 ? (
        <Panel>{empty}</Panel>
      ) : (
        <>
          <div
            className={styles.two}
            style={swimlanes.total === 0 ? { gridTemplateColumns: "1fr" } : undefined}
          >
            <ScatterPanel scatter={scatter} hrefOf={rolloutHrefOf} />
            {swimlanes.total > 0 && (
              <SwimlanePanel
                swimlanes={swimlanes}
                order={lanes.order}
                density={lanes.lanes}
                onOrder={(order) => void setLanes({ order })}
                onDensity={(density) => void setLanes({ lanes: density })}
                hrefOf={rolloutHrefOf}
              />
            )}
          </div>
          <GroupsPanel groups={view.groups} hrefOf={groupHrefOf} rolloutHref={rolloutHrefOf} />
        </>
      )}
      <AskedOnly view={view} hrefOf={filterHrefOf} />
      {view.metrics.length > 0 && (
        <Panel title="Metrics of this step" note={`${view.metrics.length} series`}>
          <div className={styles.metrics}>
            {view.metrics.map((metric) => (
              <div key={metric.key}>
                <span className="m i2 trunc">{metric.key}</span>
                <span>{formatValue(formatOfKey(metric.key), metric.value)}</span>
              </div>
            ))}
          </div>
        </Panel>
      )}
    </div>
  );
}

/** What the step asked for and did not train, so that nothing is lost from sight. */
function AskedOnly({ view, hrefOf }: { view: StepView; hrefOf: (filter: string) => string }) {
  const notes = prepareAskedOnly(view);
  if (notes.length === 0) return null;
  return (
    <p className="f12 i2" style={{ margin: 0 }}>
      This step also asked for rollouts that it did not train:{" "}
      {notes.map(({ text, filter }, at) => (
        <Fragment key={filter}>
          {at > 0 && ", "}
          <Link className="lnk" href={hrefOf(filter)}>
            {text}
          </Link>
        </Fragment>
      ))}
      .
    </p>
  );
}

function StepSkeleton() {
  return (
    <div className={styles.page} role="status" aria-label="Loading">
      <Skeleton height={28} width={380} />
      <Skeleton height={82} radius={7} />
      <div className={styles.two}>
        <Skeleton height={274} radius={7} />
        <Skeleton height={274} radius={7} />
      </div>
      <Skeleton height={240} radius={7} />
    </div>
  );
}
