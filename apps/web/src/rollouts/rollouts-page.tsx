"use client";
import { ROLLOUT_FIELDS } from "@liverl/contract/filter/filter-fields";
import { useState } from "react";
import { FilterBox } from "#filters/filter-box.tsx";
import { SavedFilters } from "#filters/saved-filters.tsx";
import { BulkBar } from "#rollouts/bulk-bar.tsx";
import { columnsOf, isLive } from "#rollouts/rollout-columns.ts";
import { RolloutHead } from "#rollouts/rollout-head.tsx";
import { RolloutTable } from "#rollouts/rollout-table.tsx";
import styles from "#rollouts/rollouts.module.css";
import { useRolloutList } from "#rollouts/use-rollout-list.ts";
import { MetricsOnly } from "#runs/metrics-only.tsx";
import { RunFrame } from "#runs/run-frame.tsx";
import { useRun } from "#runs/use-run.ts";
import { trajectoryHref } from "#shell/links.ts";
import { useRunRoute } from "#shell/use-route.ts";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const EXAMPLE = 'reward < 0.5 and reason = timeout and task ~ "django"';
const SHORTCUTS = [
  { keys: ["/"], does: "Filter" },
  { keys: ["j", "k"], does: "Next row, previous row" },
  { keys: ["x"], does: "Mark the row" },
  { keys: ["↵"], does: "Open the rollout" },
];

/** The rollouts of a run: one filter as text and by columns, an order, tags and exports. */
export function RolloutsPage() {
  const { project, runId } = useRunRoute();
  const run = useRun(runId);
  const list = useRolloutList(runId, run.data !== undefined && !run.data.endedAt);
  const { f, sort, rows, query, total } = list;
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [isFilterValid, setFilterValid] = useState(true);
  const apply = (text: string) => {
    setMarked(new Set());
    void list.setState({ f: text.trim() || null });
  };
  const mark = (id: string) => {
    const next = new Set(marked);
    if (!next.delete(id)) next.add(id);
    setMarked(next);
  };
  const columns = columnsOf(rows);
  const isAllMarked = rows.length > 0 && marked.size >= rows.length;
  return (
    <RunFrame tab="rollouts" crumbs={[{ label: "Rollouts" }]} shortcuts={SHORTCUTS} fills>
      <div className={styles.page}>
        <div className={styles.filters}>
          <FilterBox
            value={f}
            fields={ROLLOUT_FIELDS}
            example={EXAMPLE}
            onApply={apply}
            onValid={setFilterValid}
            valuesOf={list.valuesOf}
          />
          {list.isHeld && (
            <button
              type="button"
              className="lnk f12"
              style={{ border: 0, background: "none" }}
              title="A list of more than one page is held still"
              onClick={() => void list.renew()}
            >
              Show the newest
            </button>
          )}
          <span className="f12 i3 nowrap" role="status">
            {query.data && (isFilterValid ? `${total} rollouts` : "Filter not applied")}
          </span>
          <SavedFilters project={project} target="rollouts" current={f} onApply={apply} />
          <BulkBar
            {...{ runId, f, sort, total, ids: [...marked] }}
            openIds={rows
              .filter((row) => marked.has(row.rolloutId) && isLive(row))
              .map(({ rolloutId }) => rolloutId)}
            onClear={() => setMarked(new Set())}
          />
        </div>
        <section
          className={`panel ${styles.table}`}
          aria-label="Rollouts"
          aria-busy={query.isFetching}
          style={query.isPlaceholderData || !isFilterValid ? { opacity: 0.45 } : undefined}
        >
          {query.isError && rows.length === 0 ? (
            <ErrorState
              what="The rollouts could not be read"
              error={query.error}
              onRetry={() => void query.refetch()}
            />
          ) : query.isPending && query.fetchStatus !== "idle" ? (
            <SkeletonRows rows={14} />
          ) : list.fault !== null ? (
            <EmptyState title="Invalid filter">Fix the filter above to see rollouts.</EmptyState>
          ) : rows.length === 0 ? (
            <NoRollouts
              isFiltered={f !== ""}
              attachedTo={run.data?.driver === "attached" ? project : null}
              onClear={() => apply("")}
            />
          ) : (
            <RolloutTable
              rows={rows}
              columns={columns}
              marked={marked}
              onMark={mark}
              head={
                <RolloutHead
                  columns={columns}
                  sort={sort}
                  filter={list.filter}
                  marked={isAllMarked ? "all" : marked.size > 0 ? "some" : "none"}
                  onSort={(next) => void list.setState({ sort: next })}
                  onFilter={apply}
                  onMarkAll={() =>
                    setMarked(new Set(isAllMarked ? [] : rows.map(({ rolloutId }) => rolloutId)))
                  }
                />
              }
              hrefOf={(id) => trajectoryHref(project, runId, id)}
              onEnd={list.more}
            />
          )}
        </section>
      </div>
    </RunFrame>
  );
}

function NoRollouts({
  isFiltered,
  attachedTo,
  onClear,
}: {
  isFiltered: boolean;
  /** The project of an attached run; null for other runs. */
  attachedTo: string | null;
  onClear: () => void;
}) {
  if (isFiltered)
    return (
      <EmptyState
        title="No matching rollouts"
        action={
          <button
            type="button"
            className="lnk"
            style={{ border: 0, background: "none" }}
            onClick={onClear}
          >
            Clear filter
          </button>
        }
      />
    );
  if (attachedTo !== null) return <MetricsOnly project={attachedTo} what="rollouts" />;
  return <EmptyState title="No rollouts yet">They appear once the first step begins.</EmptyState>;
}
