"use client";
import type { CallOutline, SessionOutline } from "@liverl/contract/session-view";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { CallPanel } from "#sessions/call-panel.tsx";
import { CallsPanel } from "#sessions/calls-panel.tsx";
import { DiffPanel } from "#sessions/diff-panel.tsx";
import { ForkPanel } from "#sessions/fork-panel.tsx";
import { FORK_WORDS } from "#sessions/fork-words.ts";
import { PathsPanel } from "#sessions/paths-panel.tsx";
import { prepareFigures, type SessionFigure } from "#sessions/prepare-figures.ts";
import { type PreparedTree, prepareTree, type TreeFork } from "#sessions/prepare-tree.ts";
import { SegmentsPanel } from "#sessions/segments-panel.tsx";
import styles from "#sessions/sessions.module.css";
import { useTreeView } from "#sessions/use-tree-view.ts";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { Panel } from "#ui/panel.tsx";
import { Stat } from "#ui/stat.tsx";
import { usePageKeys } from "#ui/use-page-keys.ts";

export const TREE_SHORTCUTS = [
  { keys: ["←", "→"], does: "Fork before, fork after" },
  { keys: ["j", "k"], does: "Next call, previous call" },
  { keys: ["esc"], does: "Close the call" },
];

/** A session's tree of tokens, its forks and its calls. */
export function SessionTree({ session }: { session: SessionOutline }) {
  const view = useTreeView();
  const tree = useMemo(() => prepareTree(session), [session]);
  const figures = useMemo(() => prepareFigures(session, tree), [session, tree]);
  const fork = tree.forks.find(({ call }) => call.id === view.fork) ?? firstFork(tree.forks);
  const call = session.calls.find(({ id }) => id === view.call) ?? null;
  const diff = useForkDiff(session.sessionId, fork);
  const onFork = (id: number) => void view.set({ fork: id });
  const onCall = (id: number | null) => void view.set({ call: id });
  const stepFork = useTreeKeys({ session, tree, fork, call, onFork, onCall });
  if (session.calls.length === 0)
    return (
      <Panel>
        <EmptyState title="No call yet">
          {session.live
            ? "The tree grows here with the agent's first request."
            : "The session ended before its agent asked for anything."}
        </EmptyState>
      </Panel>
    );
  return (
    <>
      <Figures figures={figures} />
      <div className={styles.split}>
        <div className={styles.column}>
          <PathsPanel tree={tree} chosen={fork?.row ?? null} onFork={onFork} onCall={onCall} />
          {fork && (
            <DiffPanel
              fork={fork}
              count={tree.forks.length}
              diff={diff.data}
              error={diff.error}
              onRetry={() => void diff.refetch()}
              onStep={stepFork}
            />
          )}
        </div>
        <div className={styles.column}>
          <SegmentsPanel session={session} tree={tree} chosen={fork?.row ?? null} onFork={onFork} />
          <ForkPanel tree={tree} fork={fork} diff={diff.data} onFork={onFork} onCall={onCall} />
        </div>
      </div>
      <CallsPanel session={session} chosen={call?.id ?? null} onCall={onCall} />
      {call && (
        <CallPanel
          key={call.id}
          sessionId={session.sessionId}
          call={call}
          live={session.live}
          onClose={() => onCall(null)}
        />
      )}
    </>
  );
}

/** Walks forks and calls by key; gives what steps to another fork. */
function useTreeKeys({
  session,
  tree,
  fork,
  call,
  onFork,
  onCall,
}: {
  session: SessionOutline;
  tree: PreparedTree;
  fork: TreeFork | null;
  call: CallOutline | null;
  onFork: (id: number) => void;
  onCall: (id: number | null) => void;
}): (by: 1 | -1) => void {
  const stepFork = (by: 1 | -1) => {
    const next = fork && tree.forks[fork.number - 1 + by];
    if (next) onFork(next.call.id);
  };
  const stepCall = (by: 1 | -1) => {
    const at = call ? session.calls.indexOf(call) + by : 0;
    const next = session.calls[Math.max(0, Math.min(session.calls.length - 1, at))];
    if (next) onCall(next.id);
  };
  usePageKeys([
    ["ArrowLeft", () => stepFork(-1)],
    ["ArrowRight", () => stepFork(1)],
    ["J", () => stepCall(1)],
    ["K", () => stepCall(-1)],
    ["Escape", () => onCall(null)],
  ]);
  return stepFork;
}

function Figures({ figures }: { figures: readonly SessionFigure[] }) {
  return (
    <section className={`panel stats ${styles.stats}`} aria-label="Figures">
      {figures.map(({ label, value, below, title, tone }) => (
        <Stat
          key={label}
          label={label}
          value={value}
          title={title}
          below={<span className={tone ? `${tone}-t` : undefined}>{below}</span>}
        />
      ))}
    </section>
  );
}

/** The one that most wants a look. */
function firstFork(forks: readonly TreeFork[]): TreeFork | null {
  return forks.find(({ reason }) => !FORK_WORDS[reason].planned) ?? forks[0] ?? null;
}

function useForkDiff(sessionId: string, fork: TreeFork | null) {
  const trpc = useTRPC();
  const hasPrompt = fork !== null && fork.call.promptNodeId !== null;
  const query = useQuery(
    trpc.session.fork.queryOptions(
      { sessionId, callId: fork?.call.id ?? 0 },
      { enabled: hasPrompt, staleTime: 60_000, placeholderData: keepPreviousData },
    ),
  );
  const { refetch } = query;
  const endedAt = fork?.call.endedAt;
  // A call in flight gets its sampled tokens later.
  useEffect(() => {
    if (hasPrompt && endedAt !== null) void refetch({ cancelRefetch: false });
  }, [hasPrompt, endedAt, refetch]);
  const data = query.data?.callId === fork?.call.id ? query.data : undefined;
  return { data, error: query.error, refetch };
}
