"use client";
import { AlertList, type AlertView } from "@liverl/contract/alert";
import { useQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useState } from "react";
import { AlertRow } from "#alerts/alert-row.tsx";
import styles from "#alerts/alerts.module.css";
import { SilenceDialog } from "#alerts/silence-dialog.tsx";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Panel } from "#ui/panel.tsx";
import { Seg } from "#ui/seg.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const EVERY_MS = 10_000;
type View = (typeof AlertList.options)[number];
const EMPTY: Record<View, { title: string; why: string }> = {
  open: { title: "No alert is open", why: "What a rule finds appears here, and in the rail." },
  silenced: { title: "No alert is silenced", why: "What fires under a silence is kept here." },
  history: { title: "Nothing ever fired", why: "Every firing is kept, with who was told of it." },
};

/** Firings: those that go on, those that are silent, and all. */
export function AlertsPanel({ project }: { project: string }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryState(
    "view",
    parseAsStringLiteral(AlertList.options).withDefault("open"),
  );
  const [before, setBefore] = useState<number | undefined>(undefined);
  const [silencing, setSilencing] = useState<AlertView | null>(null);
  const query = useQuery(
    trpc.alert.list.queryOptions({ project, view, before }, { refetchInterval: EVERY_MS }),
  );
  const { data } = query;
  const rules = useQuery(trpc.alert.rules.queryOptions({ project })).data?.rules;
  const show = (next: View) => {
    setBefore(undefined);
    void setView(next === "open" ? null : next);
  };
  return (
    <Panel
      title="Alerts"
      right={
        <Seg
          label="Which alerts"
          value={view}
          options={[
            { value: "open", label: data ? `Open ${data.open}` : "Open" },
            { value: "silenced", label: data ? `Silenced ${data.silenced}` : "Silenced" },
            { value: "history", label: "History" },
          ]}
          onChange={show}
        />
      }
    >
      {data === undefined ? (
        query.isError ? (
          <ErrorState
            what="The alerts could not be read"
            error={query.error}
            onRetry={() => void query.refetch()}
          />
        ) : (
          <SkeletonRows rows={4} />
        )
      ) : data.alerts.length === 0 ? (
        <EmptyState title={EMPTY[view].title}>
          {view === "open" && rules?.length === 0
            ? "No alert rules yet. Create one."
            : EMPTY[view].why}
        </EmptyState>
      ) : (
        <ul className={styles.rows} aria-label="Alerts">
          {data.alerts.map((alert) => (
            <AlertRow
              key={alert.id}
              project={project}
              alert={alert}
              onSilence={() => setSilencing(alert)}
            />
          ))}
        </ul>
      )}
      {(before !== undefined || (data && data.nextBefore !== null)) && (
        <p className={`row ${styles.none}`}>
          {before !== undefined && (
            <button type="button" className="lnk" onClick={() => setBefore(undefined)}>
              Newest
            </button>
          )}
          {data && data.nextBefore !== null && (
            <button
              type="button"
              className="lnk"
              onClick={() => setBefore(data.nextBefore ?? undefined)}
            >
              Older
            </button>
          )}
        </p>
      )}
      <SilenceDialog project={project} of={silencing} onClose={() => setSilencing(null)} />
    </Panel>
  );
}
