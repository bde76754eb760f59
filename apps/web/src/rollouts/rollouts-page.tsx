"use client";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useCallback, useEffect, useMemo, useState } from "react";
import { matchRollouts } from "#rollouts/match-rollouts.ts";
import { OUTCOMES, prepareQuery } from "#rollouts/prepare-query.ts";
import { RolloutTable } from "#rollouts/rollout-table.tsx";
import styles from "#rollouts/rollouts.module.css";
import { RunFrame } from "#runs/run-frame.tsx";
import { useRun } from "#runs/use-run.ts";
import { trajectoryHref } from "#shell/links.ts";
import { useRunRoute } from "#shell/use-route.ts";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { formatCount } from "#ui/format-number.ts";
import { SearchBox } from "#ui/search-box.tsx";
import { Seg } from "#ui/seg.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const PAGE = 500;
const REFRESH_MS = 3_000;
const SHORTCUTS = [
  { keys: ["/"], does: "Filter by task, error or id" },
  { keys: ["j", "k"], does: "Next row, previous row" },
  { keys: ["↵"], does: "Open the rollout" },
];
const OUTCOME_LABELS = {
  any: "All",
  solved: "Solved",
  unsolved: "Not solved",
  "no-reward": "No reward",
  running: "Running",
};

export function RolloutsPage() {
  const { project, runId } = useRunRoute();
  const trpc = useTRPC();
  const run = useRun(runId);
  const [filter, setFilter] = useQueryStates({
    mode: parseAsStringLiteral(["any", "train", "eval"]).withDefault("any"),
    outcome: parseAsStringLiteral(OUTCOMES).withDefault("any"),
    step: parseAsInteger,
    q: parseAsString.withDefault(""),
  });
  const queries = useQueryClient();
  const asked = { runId, limit: PAGE, ...prepareQuery(filter) };
  const query = useInfiniteQuery(
    trpc.rollout.list.infiniteQueryOptions(asked, {
      getNextPageParam: (page) => page.nextCursor ?? undefined,
      // Only the first page is kept live: to renew many pages would shift rows under the reader.
      refetchInterval: ({ state }) =>
        run.data && !run.data.endedAt && (state.data?.pages.length ?? 0) <= 1 ? REFRESH_MS : false,
    }),
  );
  const loaded = useMemo(
    () => query.data?.pages.flatMap((page) => page.rollouts) ?? [],
    [query.data],
  );
  const rows = useMemo(() => matchRollouts(loaded, filter.q), [loaded, filter.q]);
  const total = query.data?.pages[0]?.total ?? 0;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  // A text filter must see every row, so the rest is fetched page by page.
  useEffect(() => {
    if (filter.q !== "") more();
  }, [filter.q, more]);
  const isFiltered =
    filter.q !== "" || filter.outcome !== "any" || filter.mode !== "any" || filter.step !== null;
  return (
    <RunFrame tab="rollouts" crumbs={[{ label: "Rollouts" }]} shortcuts={SHORTCUTS} fills>
      <div className={styles.page}>
        <div className={styles.filters}>
          <SearchBox
            label="Task, error or id"
            value={filter.q}
            onChange={(q) => void setFilter({ q: q || null })}
            width={232}
          />
          <Seg
            label="Outcome"
            value={filter.outcome}
            options={OUTCOMES.map((value) => ({ value, label: OUTCOME_LABELS[value] }))}
            onChange={(outcome) => void setFilter({ outcome })}
          />
          <Seg
            label="Mode"
            value={filter.mode}
            options={[
              { value: "any", label: "Both" },
              { value: "train", label: "Train" },
              { value: "eval", label: "Evaluation" },
            ]}
            onChange={(mode) => void setFilter({ mode })}
          />
          <StepField value={filter.step} onChange={(step) => void setFilter({ step })} />
          {run.data && !run.data.endedAt && (query.data?.pages.length ?? 0) > 1 && (
            <button
              type="button"
              className="lnk f12"
              style={{ border: 0, background: "none" }}
              title="A list of more than one page is held still"
              onClick={() =>
                void queries.resetQueries({
                  queryKey: trpc.rollout.list.infiniteQueryKey(asked),
                })
              }
            >
              Show the newest
            </button>
          )}
          <span className="end f12 i3" role="status">
            {query.data &&
              describeCount({
                ...{ total, shown: rows.length, loaded: loaded.length },
                ...{ isSearched: filter.q !== "", hasMore: hasNextPage },
              })}
          </span>
        </div>
        <section
          className={`panel ${styles.table}`}
          aria-label="Rollouts"
          aria-busy={query.isFetching}
        >
          {query.isError && loaded.length === 0 ? (
            <ErrorState
              what="The rollouts could not be read"
              error={query.error}
              onRetry={() => void query.refetch()}
            />
          ) : query.isPending ? (
            <SkeletonRows rows={14} />
          ) : rows.length === 0 ? (
            <NoRollouts
              isFiltered={isFiltered}
              isAttached={run.data?.driver === "attached"}
              onClear={() => void setFilter({ q: null, outcome: null, mode: null, step: null })}
            />
          ) : (
            <RolloutTable
              rows={rows}
              hrefOf={(id) => trajectoryHref(project, runId, id)}
              onEnd={more}
            />
          )}
        </section>
      </div>
    </RunFrame>
  );
}

function describeCount(of: {
  total: number;
  shown: number;
  loaded: number;
  isSearched: boolean;
  hasMore: boolean;
}): string {
  if (!of.isSearched) return `${formatCount(of.total)} rollouts`;
  const read = of.hasMore ? `, ${formatCount(of.loaded)} read` : "";
  return `${formatCount(of.shown)} of ${formatCount(of.total)}${read}`;
}

function NoRollouts({
  isFiltered,
  isAttached,
  onClear,
}: {
  isFiltered: boolean;
  isAttached: boolean;
  onClear: () => void;
}) {
  if (isFiltered)
    return (
      <EmptyState
        title="No rollout matches"
        action={
          <button
            type="button"
            className="lnk"
            style={{ border: 0, background: "none" }}
            onClick={onClear}
          >
            Clear the filter
          </button>
        }
      />
    );
  return (
    <EmptyState title="No rollout yet">
      {isAttached
        ? "An attached run has metrics only; its rollouts stay with its trainer."
        : "The first ones appear when the first step begins."}
    </EmptyState>
  );
}

function StepField({
  value,
  onChange,
}: {
  value: number | null;
  onChange: (step: number | null) => void;
}) {
  const [text, setText] = useState(value === null ? "" : String(value));
  useEffect(() => setText(value === null ? "" : String(value)), [value]);
  return (
    <input
      className={styles.step}
      aria-label="Step"
      placeholder="Step"
      inputMode="numeric"
      value={text}
      onChange={(event) => {
        const next = event.currentTarget.value.trim();
        setText(next);
        if (next === "") onChange(null);
        else if (/^\d+$/.test(next)) onChange(Number(next));
      }}
    />
  );
}
