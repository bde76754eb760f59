"use client";
import { type OfSegment, TOKEN_PAGE, type TurnOutline } from "@liverl/contract/turn-view";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { positionOf, prepareToken, type TokenRow } from "#trajectories/prepare-tokens.ts";
import { useTRPC } from "#trpc/client.tsx";

/** What was recorded does not change. */
export const FOR_GOOD = {
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
} as const;
const pageOf = (position: number) => Math.floor(position / TOKEN_PAGE) * TOKEN_PAGE;

/** The token that the URL names, with what its update computed where that `isRecorded`; null where there is none, or until it is read. */
export function useToken(
  of: OfSegment,
  turns: readonly TurnOutline[],
  key: string | null,
  isRecorded: boolean,
): TokenRow | null {
  const trpc = useTRPC();
  const position = positionOf(turns, key);
  const from = pageOf(position ?? 0);
  const query = useQuery(
    trpc.trajectory.tokens.queryOptions(
      { ...of, from },
      { ...FOR_GOOD, enabled: position !== null, placeholderData: keepPreviousData },
    ),
  );
  const trained = useQuery(
    trpc.trajectory.trained.queryOptions(
      { ...of, from, size: TOKEN_PAGE },
      { ...FOR_GOOD, enabled: position !== null && isRecorded },
    ),
  );
  if (position === null || query.data === undefined) return null;
  return prepareToken(turns, query.data, position, trained.data);
}

/** Rows of the segment's tokens from one position to another, as far as their pages are there. */
export function useTokenRows(
  of: OfSegment,
  turns: readonly TurnOutline[],
  [first, last]: readonly [number, number],
  isRecorded: boolean,
): (position: number) => TokenRow | null {
  const trpc = useTRPC();
  const starts: number[] = [];
  for (let from = pageOf(first); from <= last; from += TOKEN_PAGE) starts.push(from);
  const pages = useQueries({
    queries: starts.map((from) => trpc.trajectory.tokens.queryOptions({ ...of, from }, FOR_GOOD)),
  });
  const trained = useQueries({
    queries: starts.map((from) =>
      trpc.trajectory.trained.queryOptions(
        { ...of, from, size: TOKEN_PAGE },
        { ...FOR_GOOD, enabled: isRecorded },
      ),
    ),
  });
  return (position) => {
    const at = starts.indexOf(pageOf(position));
    const page = pages[at]?.data;
    return page ? prepareToken(turns, page, position, trained[at]?.data) : null;
  };
}
