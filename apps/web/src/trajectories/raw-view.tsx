"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { CallPanel } from "#sessions/call-panel.tsx";
import { CallsPanel } from "#sessions/calls-panel.tsx";
import styles from "#sessions/sessions.module.css";
import { useTreeView } from "#sessions/use-tree-view.ts";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";
import { usePageKeys } from "#ui/use-page-keys.ts";

const REFRESH_MS = 1_500;

/** The session's calls as they were sent and answered, one at a time. */
export function RawView({ sessionId, mayBegin }: { sessionId: string; mayBegin: boolean }) {
  const { call: chosen, set } = useTreeView();
  const query = useQuery(
    useTRPC().session.get.queryOptions(
      { sessionId },
      {
        placeholderData: keepPreviousData,
        refetchInterval: ({ state }) =>
          state.data?.live || (state.data === undefined && mayBegin) ? REFRESH_MS : false,
      },
    ),
  );
  const session = query.data;
  const calls = session?.calls ?? [];
  const call = calls.find(({ id }) => id === chosen) ?? calls[0] ?? null;
  const step = (by: 1 | -1) => {
    const next = call && calls[calls.indexOf(call) + by];
    if (next) void set({ call: next.id });
  };
  usePageKeys([
    ["J", () => step(1)],
    ["K", () => step(-1)],
  ]);
  if (session === undefined)
    return query.isError ? (
      <ErrorState
        what={mayBegin ? "This session has not begun" : "This session could not be read"}
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    ) : (
      <SkeletonRows rows={9} height={28} />
    );
  if (call === null)
    return (
      <EmptyState title="No call yet">
        {session.live
          ? "Calls appear with the agent's first request."
          : "The session ended before its agent asked for anything."}
      </EmptyState>
    );
  return (
    <div className={`${styles.page} scroll`}>
      <CallsPanel session={session} chosen={call.id} onCall={(id) => void set({ call: id })} />
      <CallPanel
        key={call.id}
        sessionId={sessionId}
        call={call}
        live={session.live}
        onClose={() => void set({ call: null })}
      />
    </div>
  );
}
