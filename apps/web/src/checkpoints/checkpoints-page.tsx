"use client";
import { ACTIVE_MERGES, type CheckpointRow } from "@liverl/contract/views";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { CheckpointNow } from "#checkpoints/checkpoint-now.tsx";
import { CheckpointStats } from "#checkpoints/checkpoint-stats.tsx";
import { CheckpointTable } from "#checkpoints/checkpoint-table.tsx";
import styles from "#checkpoints/checkpoints.module.css";
import { LineagePanel } from "#checkpoints/lineage-panel.tsx";
import { prepareStats } from "#checkpoints/prepare-stats.ts";
import { ResumeDialog } from "#checkpoints/resume-dialog.tsx";
import { useMerges } from "#checkpoints/use-merges.ts";
import { MetricsOnly } from "#runs/metrics-only.tsx";
import { RunFrame } from "#runs/run-frame.tsx";
import { useRun } from "#runs/use-run.ts";
import { useRunMoves } from "#runs/use-run-moves.ts";
import { useRunRoute } from "#shell/use-route.ts";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Panel } from "#ui/panel.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const REFRESH_MS = 3_000;
const MERGE_REFRESH_MS = 1_000;
const isMerging = ({ merge }: CheckpointRow) =>
  merge !== null && (ACTIVE_MERGES as readonly string[]).includes(merge.status);

export function CheckpointsPage() {
  const { runId } = useRunRoute();
  const trpc = useTRPC();
  const run = useRun(runId).data;
  const moves = useRunMoves(runId, run?.name ?? runId);
  const query = useQuery(
    trpc.checkpoint.list.queryOptions(
      { runId },
      {
        refetchInterval: ({ state }) =>
          state.data?.checkpoints.some(isMerging)
            ? MERGE_REFRESH_MS
            : run?.endedAt
              ? false
              : REFRESH_MS,
      },
    ),
  );
  const merges = useMerges(runId);
  const [asked, setAsked] = useState<number | null>(null);
  const rows = useMemo(
    () => [...(query.data?.checkpoints ?? [])].sort((a, b) => b.step - a.step),
    [query.data],
  );
  const stats = useMemo(() => prepareStats(rows, query.data?.freeBytes ?? 0), [rows, query.data]);
  return (
    <RunFrame tab="checkpoints" crumbs={[{ label: "Checkpoints" }]}>
      <div className={styles.page}>
        {query.isError && !query.data ? (
          <ErrorState
            what="The checkpoints could not be read"
            error={query.error}
            onRetry={() => void query.refetch()}
          />
        ) : query.isPending ? (
          <SkeletonRows rows={8} />
        ) : rows.length === 0 && run?.driver === "attached" ? (
          <Panel>
            <MetricsOnly project={run.project} what="checkpoints" />
          </Panel>
        ) : rows.length === 0 ? (
          <Panel>
            <EmptyState
              title="No checkpoint yet"
              action={run?.can.checkpoint === true ? <CheckpointNow run={run} /> : undefined}
            >
              The trainer writes one every few steps, as its plan says.
            </EmptyState>
          </Panel>
        ) : (
          <>
            {run && <LineagePanel run={run} rows={rows} />}
            <CheckpointStats stats={stats} freeBytes={query.data.freeBytes} />
            <Panel title="Checkpoints" right={run && <CheckpointNow run={run} isSmall />}>
              <CheckpointTable
                rows={rows}
                run={run}
                bestStep={stats.best?.step ?? null}
                merges={merges}
                onResume={setAsked}
              />
            </Panel>
          </>
        )}
      </div>
      <ResumeDialog
        step={asked}
        lastStep={run?.step ?? 0}
        isPending={moves.resume.isPending}
        onClose={() => setAsked(null)}
        onResume={(step) =>
          moves.resume.mutate({ id: runId, step }, { onSettled: () => setAsked(null) })
        }
      />
    </RunFrame>
  );
}
