"use client";
import type { SessionRow } from "@liverl/contract/session-view";
import { useQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryStates } from "nuqs";
import { useEffect, useState } from "react";
import { openCommand } from "#sessions/open-command.ts";
import { SessionTable } from "#sessions/session-table.tsx";
import styles from "#sessions/sessions.module.css";
import { PageFrame } from "#shell/page-frame.tsx";
import { useProject } from "#shell/use-route.ts";
import { useTRPC } from "#trpc/client.tsx";
import { CopyButton } from "#ui/copy-button.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { formatCount } from "#ui/format-number.ts";
import { Panel } from "#ui/panel.tsx";
import { Seg } from "#ui/seg.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const REFRESH_MS = 2_000;
const STATES = ["all", "open", "over"] as const;
const LABELS = { all: "All", open: "Open", over: "Over" };
const SHORTCUTS = [
  { keys: ["j", "k"], does: "Next, previous session" },
  { keys: ["↵"], does: "Open the session" },
];

/** Sessions that agents from outside opened. */
export function SessionsPage() {
  const project = useProject();
  const trpc = useTRPC();
  const query = useQuery(
    trpc.session.list.queryOptions({ project }, { refetchInterval: REFRESH_MS }),
  );
  const [{ state }, set] = useQueryStates({
    state: parseAsStringLiteral(STATES).withDefault("all"),
  });
  const sessions = query.data?.sessions;
  const rows = sessions?.filter((session) => isOf(session, state)) ?? [];
  return (
    <PageFrame
      nav="sessions"
      crumbs={[{ label: "Sessions" }]}
      title={`Sessions · ${project}`}
      shortcuts={SHORTCUTS}
      fills
    >
      <div className={styles.list}>
        <header className={styles.title}>
          <h1>Sessions</h1>
          <span className="i2">
            Agents of your own, on the engines of a run. Those of rollouts stand in their Tree tab.
          </span>
          {sessions && sessions.length > 0 && (
            <span className="end row">
              <Seg
                label="State"
                value={state}
                options={STATES.map((value) => ({ value, label: LABELS[value] }))}
                onChange={(next) => void set({ state: next })}
              />
              <span className="f12 i3 nowrap" role="status">
                {formatCount(rows.length)} {rows.length === 1 ? "session" : "sessions"}
              </span>
            </span>
          )}
        </header>
        {sessions === undefined ? (
          query.isError ? (
            <ErrorState
              what="The sessions could not be read"
              error={query.error}
              onRetry={() => void query.refetch()}
              stillWorks="Agents that have a session go on with it."
            />
          ) : (
            <SkeletonRows rows={8} />
          )
        ) : (
          <>
            {query.isError && (
              <p className="note warn" role="status">
                The trial runner does not answer now: this list is from before.
              </p>
            )}
            {rows.length > 0 && <SessionTable rows={rows} project={project} />}
            <HowTo isFirst={sessions.length === 0} hasNone={rows.length === 0} />
          </>
        )}
      </div>
    </PageFrame>
  );
}

function isOf(session: SessionRow, state: (typeof STATES)[number]): boolean {
  return state === "all" || (session.state === "open") === (state === "open");
}

/** How a session is opened, for those who have none and those who forgot. */
function HowTo({ isFirst, hasNone }: { isFirst: boolean; hasNone: boolean }) {
  const { data: system } = useQuery(useTRPC().system.get.queryOptions());
  const [origin, setOrigin] = useState("http://127.0.0.1:4400");
  useEffect(() => setOrigin(window.location.origin), []);
  const command = openCommand(origin, system?.dataDir ?? ".liverl");
  return (
    <Panel
      title={isFirst ? "No session yet" : hasNone ? "No session in this state" : "Open another"}
      right={<CopyButton text={command} what="the command" />}
    >
      <div className="pb col" style={{ gap: 8 }}>
        <p className="i2">
          The engines of the latest run answer: while it runs, and after it succeeded until another
          begins. This opens a session there and prints its <span className="m">baseUrl</span> and{" "}
          <span className="m">apiKey</span>, which any OpenAI or Anthropic client takes.{" "}
          <span className="m">{'{"runId": "…"}'}</span> says which run. The token lies in the data
          directory.
        </p>
        <pre className={styles.command}>{command}</pre>
      </div>
    </Panel>
  );
}
