"use client";
import { RUN_FIELDS } from "@liverl/contract/filter/filter-fields";
import { NEWEST_RUNS, readRunSort } from "@liverl/contract/list-runs";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { createParser, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { readFilterText } from "#filters/read-fault.ts";
import { countViews, RUN_VIEW_IDS, RUN_VIEWS } from "#runs/prepare-runs.ts";
import { useTRPC } from "#trpc/client.tsx";

/** Two screens. Each row costs a verdict, and rows are wanted while a filter is typed. */
const PAGE = 50;
/** Values that runs are sorted by change with their steps. */
const REORDER_MS = 5_000;
const VIEW_STATE = {
  view: parseAsStringLiteral(RUN_VIEW_IDS).withDefault("all"),
  f: parseAsString.withDefault(""),
  // An address of elsewhere may name an order that there is not.
  sort: createParser({
    parse: (sort) => (readRunSort(sort) === null ? null : sort),
    serialize: (sort: string) => sort,
  }).withDefault(NEWEST_RUNS),
};

/** The table's tab, filter and order in the URL, and the pages that answer them. */
export function useRunList(project: string) {
  const trpc = useTRPC();
  const [state, setState] = useQueryStates(VIEW_STATE);
  const asks = RUN_VIEWS.find(({ id }) => id === state.view)?.asks;
  const query = useInfiniteQuery(
    trpc.run.list.infiniteQueryOptions(
      { project, limit: PAGE, f: state.f, sort: state.sort, ...asks },
      {
        enabled: readFilterText(state.f, RUN_FIELDS).fault === null,
        placeholderData: keepPreviousData,
        getNextPageParam: (page) => page.nextCursor ?? undefined,
        // Numbers come by the live stream; their order does not, and rows of many pages are held still under the reader.
        refetchInterval: ({ state: { data } }) =>
          data?.pages.length === 1 && (data.pages[0]?.counts.status.running ?? 0) > 0
            ? REORDER_MS
            : false,
      },
    ),
  );
  const pages = query.data?.pages;
  const newest = pages?.at(-1);
  return {
    ...{ ...state, setState, query },
    // A run that moved up as a later page was asked for stands in both.
    rows: useMemo(
      () => [
        ...new Map(
          pages?.flatMap(({ runs }) => runs).map((run) => [run.id, run] as const),
        ).values(),
      ],
      [pages],
    ),
    /** Of all pages; undefined before the first answer. */
    total: newest?.total,
    counts: useMemo(() => newest && countViews(newest.counts), [newest]),
  };
}
