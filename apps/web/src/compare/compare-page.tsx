"use client";
import type { PanelSize } from "@liverl/contract/metrics-view";
import { isTerminal, type RunDetail } from "@liverl/contract/run";
import { ActionIcon, Button } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { parseAsArrayOf, parseAsBoolean, parseAsString, useQueryState, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { FullViewHost } from "#charts/full-view/full-view-host.tsx";
import { MetricPanel } from "#charts/metric-panel.tsx";
import { AlignedEvents } from "#compare/aligned-events.tsx";
import styles from "#compare/compare.module.css";
import { CompareScene } from "#compare/compare-scene.tsx";
import { ConfigDifferences } from "#compare/config-differences.tsx";
import {
  type ComparedRun,
  colorRuns,
  compareMetrics,
  comparePanel,
  MOST_RUNS,
} from "#compare/prepare-compare.ts";
import { RunsCompared } from "#compare/runs-compared.tsx";
import { TaskPairs } from "#compare/task-pairs.tsx";
import { MetricsToolbar } from "#metrics/metrics-toolbar.tsx";
import { useChartLook } from "#metrics/use-chart-look.ts";
import { runHref, runsHref } from "#shell/links.ts";
import { PageFrame } from "#shell/page-frame.tsx";
import { useProject } from "#shell/use-route.ts";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Icon } from "#ui/icon.tsx";
import { Link } from "#ui/link.tsx";
import { SearchBox } from "#ui/search-box.tsx";
import { Seg } from "#ui/seg.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const STATE = {
  runs: parseAsArrayOf(parseAsString).withDefault([]),
  q: parseAsString.withDefault(""),
  all: parseAsBoolean.withDefault(false),
  more: parseAsBoolean.withDefault(false),
};
/** Panels before the finals: rows of three that answer how the runs went. */
const FIRST_PANELS = 9;
/** What a window shows of them before the browser has said so. */
const ON_SCREEN = 6;

/** Several runs: their curves, where they ended, how they differ in configuration and events, and tasks that two of them tried. */
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
            showsMore={state.more}
            onMore={(more) => void setState({ more: more || null })}
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
  showsMore,
  onMore,
  onRemove,
}: {
  project: string;
  runs: readonly RunDetail[];
  search: string;
  showsAll: boolean;
  onSearch: (text: string) => void;
  onAll: (all: boolean) => void;
  /** Panels beyond the first ones. */
  showsMore: boolean;
  onMore: (more: boolean) => void;
  onRemove: (id: string) => void;
}) {
  const ids = useMemo(() => runs.map(({ id }) => id), [runs]);
  const compared = useMemo(() => colorRuns(runs), [runs]);
  const { state, look, change } = useChartLook();
  const [hidden, setHidden] = useQueryState("off", parseAsArrayOf(parseAsString).withDefault([]));
  const visible = useMemo(
    () => compared.filter(({ id }) => !hidden.includes(id)),
    [compared, hidden],
  );
  return (
    <>
      <CompareScene
        runIds={ids}
        isGrowing={runs.some(({ status }) => !isTerminal(status))}
        look={look}
      >
        <div className={styles.tools}>
          <SearchBox label="Find a metric" value={search} onChange={onSearch} width={260} />
          <Seg
            label="Metrics"
            value={showsAll ? "all" : "shared"}
            options={[
              { value: "shared", label: "Shared", title: "What two of the runs or more log" },
              { value: "all", label: "All", title: "Also what one of the runs alone logs" },
            ]}
            onChange={(next) => onAll(next === "all")}
          />
          <ul className={styles.runs} aria-label="Runs">
            {compared.map(({ id, name, short, color }) => {
              const isHidden = hidden.includes(id);
              const rest = isHidden ? hidden.filter((one) => one !== id) : [...hidden, id];
              return (
                <li key={id} title={id} className={isHidden ? styles.off : undefined}>
                  <ActionIcon
                    size={20}
                    variant="subtle"
                    aria-pressed={!isHidden}
                    aria-label={`${isHidden ? "Show" : "Hide"} ${name}`}
                    title={isHidden ? "Show in the charts" : "Hide in the charts"}
                    onClick={() => void setHidden(rest.length === 0 ? null : rest)}
                  >
                    <Icon name="eye" size={13} />
                  </ActionIcon>
                  <span className="sw" style={{ background: `var(${color})` }} />
                  <Link href={runHref(project, id)}>{name}</Link>
                  {short !== name && <span className="i3">{short}</span>}
                </li>
              );
            })}
          </ul>
        </div>
        <MetricsToolbar state={state} change={change} />
        <Panels
          runs={compared}
          visible={visible}
          size={state.size}
          search={search}
          showsAll={showsAll}
          showsMore={showsMore}
          onMore={onMore}
        />
        <RunsCompared runs={runs} compared={compared} onRemove={onRemove} />
        <ConfigDifferences runs={runs} compared={compared} />
        <AlignedEvents project={project} runs={compared} />
      </CompareScene>
      <TaskPairs project={project} runs={compared} />
    </>
  );
}

function Panels({
  runs,
  visible,
  size,
  search,
  showsAll,
  showsMore,
  onMore,
}: {
  runs: readonly ComparedRun[];
  /** Without those that are hidden. */
  visible: readonly ComparedRun[];
  size: PanelSize;
  search: string;
  showsAll: boolean;
  showsMore: boolean;
  onMore: (more: boolean) => void;
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
    return compareMetrics(known, { shared: !showsAll, search }).map((metric) =>
      comparePanel(metric, visible),
    );
  }, [names, visible, search, showsAll]);
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
        {showsAll || isEmpty ? null : "What one run alone logs is under All."}
      </EmptyState>
    );
  const hasMore = search === "" && panels.length > FIRST_PANELS;
  const shown = hasMore && !showsMore ? panels.slice(0, FIRST_PANELS) : panels;
  return (
    <>
      <FullViewHost panels={panels} />
      <div className={styles.grid} data-size={size}>
        {shown.map((panel, at) => (
          <MetricPanel key={panel.title} panel={panel} isFirst={at < ON_SCREEN} />
        ))}
      </div>
      {hasMore && (
        <div className={styles.more}>
          <Button aria-expanded={showsMore} onClick={() => onMore(!showsMore)}>
            {showsMore ? `The first ${FIRST_PANELS} alone` : `All ${panels.length} metrics`}
          </Button>
        </div>
      )}
    </>
  );
}
