"use client";
import type { SessionOutline } from "@liverl/contract/session-view";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { describeReward } from "#sessions/describe-reward.ts";
import { SessionTree } from "#sessions/session-tree.tsx";
import styles from "#sessions/sessions.module.css";
import { StatusWordOfSession } from "#sessions/status-of-session.tsx";
import { useTRPC } from "#trpc/client.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Skeleton } from "#ui/skeleton.tsx";

const REFRESH_MS = 1_500;

/** A session by its id, renewed while it is live. */
export function SessionView({
  sessionId,
  mayBegin = false,
  what,
  children,
}: {
  sessionId: string;
  /** Whether it may appear later: then it is asked for again. */
  mayBegin?: boolean;
  /** What it is of: "One rollout", "One session". */
  what: string;
  /** Beside the title, once the session is known. */
  children?: (session: SessionOutline) => React.ReactNode;
}) {
  const trpc = useTRPC();
  const query = useQuery(
    trpc.session.get.queryOptions(
      { sessionId },
      {
        placeholderData: keepPreviousData,
        refetchInterval: ({ state }) =>
          state.data?.live || (state.data === undefined && mayBegin) ? REFRESH_MS : false,
      },
    ),
  );
  const session = query.data;
  if (session === undefined)
    return query.isError ? (
      <ErrorState
        what={mayBegin ? "This session has not begun" : "This session could not be read"}
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    ) : (
      <SessionSkeleton />
    );
  return (
    <div className={`${styles.page} scroll`}>
      <header className={styles.title}>
        <h2>Token tree</h2>
        <span className="i2">
          {what}, {countOf(session)}. A shared sampled node trains once.
        </span>
        <span className="end row g12">
          {!session.live && <Reward reward={session.reward} />}
          <StatusWordOfSession session={session} isLost={query.isError} />
          {children?.(session)}
        </span>
      </header>
      <SessionTree session={session} />
    </div>
  );
}

function Reward({ reward }: Pick<SessionOutline, "reward">) {
  const words = describeReward(reward);
  return words === null ? (
    <span className="i3">No reward</span>
  ) : (
    <span>
      <span className="i2">Reward</span> <b className={styles.reward}>{words}</b>
    </span>
  );
}

function countOf({ nodes, calls, segments }: SessionOutline): string {
  const roots = nodes.filter(({ parentId }) => parentId === null).length;
  const many = (count: number, word: string) =>
    `${count.toLocaleString("en-US")} ${word}${count === 1 ? "" : "s"}`;
  return [many(calls.length, "call"), many(roots, "root"), many(segments.length, "path")].join(
    ", ",
  );
}

function SessionSkeleton() {
  return (
    <div className={styles.page} role="status" aria-label="Loading">
      <Skeleton height={28} width={420} />
      <Skeleton height={80} radius={7} />
      <div className={styles.split}>
        <Skeleton height={420} radius={7} />
        <Skeleton height={420} radius={7} />
      </div>
      <Skeleton height={240} radius={7} />
    </div>
  );
}
