"use client";
import type { LogLine } from "@liverl/contract/views";
import { useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import { useCallback, useEffect, useState } from "react";
import { isBefore, LINES_HELD, mergeLines } from "#logs/log-lines.ts";
import { useTRPC } from "#trpc/client.tsx";

const PAGE = 1_000;
/** Pages read back to reach a moment, at most: 20 × 1,000 lines. */
const PAGES_BACK = 20;

interface Held {
  key: string;
  lines: LogLine[];
  /** Offset of the first line; 0 is the begin of the file. */
  start: number;
  end: number;
  sizeBytes: number;
}

/** What was read, and behind it what the stream brought while it was read. */
function withTail(now: Held | null, read: Held): Held {
  if (now?.key !== read.key) return read;
  const newer = now.lines.filter(({ offset }) => offset >= read.end);
  return extended(read, newer, now.end);
}

/** With newer lines at its end. What people asked for stays; beyond that the oldest lines go, and can be read again. */
function extended(held: Held, newer: readonly LogLine[], end: number): Held {
  const lines = mergeLines(held.lines, newer, Math.max(LINES_HELD, held.lines.length));
  const first = lines[0]?.offset;
  const isCut = first !== undefined && first > (held.lines[0]?.offset ?? first);
  return {
    ...held,
    lines,
    start: isCut ? first : held.start,
    end: Math.max(held.end, end),
    sizeBytes: Math.max(held.sizeBytes, end),
  };
}

/**
 * The end of one log and all that is appended to it; older pages on demand. With a query only lines that match are
 * read, by the server. With `at`, pages are read back until that moment is in.
 */
export function useLog({
  runId,
  source,
  q,
  at,
  offset,
  isFollowing,
}: {
  runId: string;
  source: string | null;
  q: string;
  at: string | null;
  /** Byte offset of a line: the page around it is read, and nothing behind that. */
  offset: number | null;
  isFollowing: boolean;
}) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const key = JSON.stringify([runId, source, q, offset]);
  const [held, setHeld] = useState<Held | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isLoading, setIsLoading] = useState(false);
  const [attempt, setAttempt] = useState(0);

  const read = useCallback(
    (place: { before?: number; after?: number }) =>
      queries.fetchQuery(
        trpc.log.read.queryOptions(
          {
            runId,
            source: source ?? "",
            limit: PAGE,
            ...place,
            ...(q === "" ? {} : { q }),
          },
          { staleTime: 0, gcTime: 0 },
        ),
      ),
    [queries, trpc, runId, source, q],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: `attempt` is how Retry asks again
  useEffect(() => {
    if (source === null) return;
    let isStale = false;
    setError(null);
    setIsLoading(true);
    const load = async () => {
      if (offset !== null) {
        const [older, newer] = await Promise.all([
          read({ before: offset }),
          read({ after: offset }),
        ]);
        const lines = mergeLines(older.lines, newer.lines);
        if (!isStale) setHeld({ ...newer, key, lines, start: older.start });
        return;
      }
      let page = await read({});
      let lines: LogLine[] = page.lines;
      const { end, sizeBytes } = page;
      for (
        let pages = 1;
        at !== null && pages < PAGES_BACK && page.start > 0 && isBefore(lines, at) && !isStale;
        pages += 1
      ) {
        page = await read({ before: page.start });
        lines = mergeLines(lines, page.lines);
      }
      const { start } = page;
      if (!isStale) setHeld((now) => withTail(now, { key, lines, start, end, sizeBytes }));
    };
    load()
      .catch((thrown: unknown) => !isStale && setError(thrown))
      .finally(() => !isStale && setIsLoading(false));
    return () => {
      isStale = true;
    };
  }, [read, source, key, at, offset, attempt]);

  const mine = held?.key === key ? held : null;
  const mineKey = mine === null ? null : mine.key;
  // The stream starts where the first page ended and is not restarted by its own frames.
  const [tailFrom, setTailFrom] = useState<{ key: string; end: number } | null>(null);
  if (mine !== null && tailFrom?.key !== mine.key) setTailFrom({ key: mine.key, end: mine.end });

  useSubscription(
    trpc.log.tail.subscriptionOptions(
      { runId, source: source ?? "", after: tailFrom?.end ?? 0 },
      {
        enabled: source !== null && isFollowing && mineKey !== null && tailFrom?.key === mineKey,
        onData: ({ data: frame }) => {
          const lines =
            q === ""
              ? frame.lines
              : frame.lines.filter((line) => line.text.toLowerCase().includes(q.toLowerCase()));
          setHeld((now) => (now?.key === key ? extended(now, lines, frame.end) : now));
        },
      },
    ),
  );

  const readOlder = useCallback(async () => {
    if (mine === null || mine.start <= 0 || isLoading) return;
    setIsLoading(true);
    try {
      const page = await read({ before: mine.start });
      setHeld((now) =>
        now?.key !== key
          ? now
          : { ...now, lines: mergeLines(now.lines, page.lines), start: page.start },
      );
    } catch (thrown) {
      setError(thrown);
    } finally {
      setIsLoading(false);
    }
  }, [mine, isLoading, read, key]);

  return {
    lines: mine?.lines ?? null,
    hasOlder: (mine?.start ?? 0) > 0,
    sizeBytes: mine?.sizeBytes ?? null,
    error,
    isLoading,
    readOlder,
    retry: () => setAttempt((count) => count + 1),
  };
}
