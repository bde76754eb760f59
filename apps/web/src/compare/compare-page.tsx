"use client";
import { isTerminal, type RunDetail } from "@liverl/contract/run";
import { Button } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { parseAsArrayOf, parseAsBoolean, parseAsString, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { MetricPanel } from "#charts/metric-panel.tsx";
import { AlignedEvents } from "#compare/aligned-events.tsx";
import styles from "#compare/compare.module.css";
import { CompareScene } from "#compare/compare-scene.tsx";
import { ConfigDifferences } from "#compare/config-differences.tsx";
import {
  type ComparedRun,
  colorRuns,
  compareKeys,
  comparePanel,
  MOST_RUNS,
} from "#compare/prepare-compare.ts";
import { RunsCompared } from "#compare/runs-compared.tsx";
import { TaskPairs } from "#compare/task-pairs.tsx";
import { MetricsToolbar } from "#metrics/metrics-toolbar.tsx";
import { useChartLook } from "#metrics/use-chart-look.ts";
import { runsHref } from "#shell/links.ts";
import { PageFrame } from "#shell/page-frame.tsx";
import { useProject } from "#shell/use-route.ts";
import { useTRPC } from "#trpc/client.tsx";
import { Chip } from "#ui/chip.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Icon } from "#ui/icon.tsx";
import { Link } from "#ui/link.tsx";
import { SearchBox } from "#ui/search-box.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const STATE = {
  runs: parseAsArrayOf(parseAsString).withDefault([]),
  q: parseAsString.withDefault(""),
  all: parseAsBoolean.withDefault(false),
};

/** Several runs: where they ended, how they differ in configuration and events, their curves, and tasks that two of them tried. */
export function ComparePage() {
  const project = useProject();
  const trpc = useTRPC();
  const [state, setState] = useQueryStates(STATE);
  const ids = useMemo(() => [...new Set(state.runs)].slice(0, MOST_RUNS), [state.runs]);
  const queries = useQueries({
    queries: ids.map((id) => trpc.run.get.queryOptions({ id })),
  });
  const failed = queries.find(({ isError }) => isError);
  const runs = queries.flatMap(({ data }) => data ?? []);
  return (
    <PageFrame
      nav="runs"
      crumbs={[{ label: "Runs", href: runsHref(project) }, { label: "Compare" }]}
    >
      <div className="page">
        {ids.length < 2 ? (
          <EmptyState
            title="Choose two runs or more"
            action={
              <Button component={Link} href={runsHref(project)} variant="filled">
                To the runs
              </Button>
            }
          >
            Mark them in the list of runs, then press Compare.
          </EmptyState>
        ) : failed ? (
          <ErrorState
            what="One of the runs could not be read"
            error={failed.error}
            onRetry={() => void failed.refetch()}
          />
        ) : runs.length < ids.length ? (
          <SkeletonRows rows={8} />
        ) : (
          <Compared
            project={project}
            runs={runs}
            search={state.q}
            showsAll={state.all}
            onSearch={(q) => void setState({ q: q === "" ? null : q })}
            onAll={(all) => void setState({ all: all || null })}
            onRemove={(id) => void setState({ runs: ids.filter((one) => one !== id) })}
          />
        )}
      </div>
    </PageFrame>
  );
}

function Compared({
  project,
  runs,
  search,
  showsAll,
  onSearch,
  onAll,
  onRemove,
}: {
  project: string;
  runs: readonly RunDetail[];
  search: string;
  showsAll: boolean;
  onSearch: (text: string) => void;
  onAll: (all: boolean) => void;
  onRemove: (id: string) => void;
}) {
  const ids = useMemo(() => runs.map(({ id }) => id), [runs]);
  const compared = useMemo(() => colorRuns(runs), [runs]);
  const { state, look, change } = useChartLook();
  return (
    <>
      <RunsCompared runs={runs} compared={compared} onRemove={onRemove} />
      <ConfigDifferences runs={runs} compared={compared} />
      <CompareScene
        runIds={ids}
        isGrowing={runs.some(({ status }) => !isTerminal(status))}
        look={look}
      >
        <AlignedEvents project={project} runs={compared} />
        <div className={styles.tools}>
          <SearchBox label="Find a metric" value={search} onChange={onSearch} width={260} />
          <Chip
            tone={showsAll ? "on" : "neutral"}
            pressed={showsAll}
            onClick={() => onAll(!showsAll)}
          >
            {showsAll && <Icon name="check" size={11} />}
            Also what one run alone logs
          </Chip>
        </div>
        <MetricsToolbar state={state} change={change} />
        <Panels runs={compared} search={search} showsAll={showsAll} />
      </CompareScene>
      <TaskPairs project={project} runs={compared} />
    </>
  );
}

function Panels({
  runs,
  search,
  showsAll,
}: {
  runs: readonly ComparedRun[];
  search: string;
  showsAll: boolean;
}) {
  const trpc = useTRPC();
  const queries = useQueries({
    queries: runs.map(({ id }) => trpc.metric.keys.queryOptions({ runId: id })),
  });
  const isPending = queries.some((query) => query.isPending);
  const names = JSON.stringify(
    queries.map(({ data }, at) => [runs[at]?.id, data?.keys.map(({ key }) => key) ?? []]),
  );
  const panels = useMemo(() => {
    const known = new Map<string, string[]>(JSON.parse(names));
    return compareKeys(known, { shared: !showsAll, search }).map((key) =>
      comparePanel(key, runs, known),
    );
  }, [names, runs, search, showsAll]);
  const isEmpty = queries.every(({ data }) => data?.keys.length === 0);
  if (isPending) return <SkeletonRows rows={6} />;
  if (panels.length === 0)
    return (
      <EmptyState
        title={
          search !== ""
            ? "No metric matches"
            : isEmpty
              ? "Nothing is logged yet"
              : "They log no metric in common"
        }
      >
        {showsAll || isEmpty ? null : "What one run alone logs is not shown."}
      </EmptyState>
    );
  return (
    <div className={styles.grid}>
      {panels.map((panel) => (
        <MetricPanel key={panel.title} panel={panel} />
      ))}
    </div>
  );
}
