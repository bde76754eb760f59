"use client";
import { ROLLOUT_FIELDS } from "@liverl/contract/filter/filter-fields";
import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { parseAsString, useQueryStates } from "nuqs";
import { useCallback, useMemo } from "react";
import { readFilterText } from "#filters/read-fault.ts";
import { useTRPC } from "#trpc/client.tsx";
import { formatCount } from "#ui/format-number.ts";

const PAGE = 200;
const REFRESH_MS = 3_000;
const NEWEST = "-step";

/** The table's filter and order in the URL, and the pages that answer them. */
export function useRolloutList(runId: string, isLive: boolean) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [state, setState] = useQueryStates({
    f: parseAsString.withDefault(""),
    sort: parseAsString.withDefault(NEWEST),
  });
  const { filter, fault } = readFilterText(state.f, ROLLOUT_FIELDS);
  const asked = { runId, limit: PAGE, f: state.f, sort: state.sort };
  const query = useInfiniteQuery(
    trpc.rollout.list.infiniteQueryOptions(asked, {
      enabled: fault === null,
      placeholderData: keepPreviousData,
      getNextPageParam: (page) => page.nextCursor ?? undefined,
      // Only the first page is kept live: to renew many pages would shift rows under the reader.
      refetchInterval: (current) =>
        isLive && (current.state.data?.pages.length ?? 0) <= 1 ? REFRESH_MS : false,
    }),
  );
  const rows = useMemo(
    () => query.data?.pages.flatMap((page) => page.rollouts) ?? [],
    [query.data],
  );
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const valuesOf = useCallback(
    async (field: string, like: string) => {
      if (field !== "task" && field !== "tag" && field !== "error") return [];
      return (await queries.fetchQuery(trpc.rollout.values.queryOptions({ runId, field, like })))
        .values;
    },
    [queries, trpc, runId],
  );
  const [first] = query.data?.pages ?? [];
  const total = first ? `${formatCount(first.total ?? 0)}${first.hasMoreThanTotal ? "+" : ""}` : "";
  return {
    ...{ ...state, setState, filter, fault, query, rows, more, valuesOf, total },
    /** A live list of several pages is held still. */
    isHeld: isLive && (query.data?.pages.length ?? 0) > 1,
    renew: () => queries.resetQueries({ queryKey: trpc.rollout.list.infiniteQueryKey(asked) }),
  };
}
