"use client";
import { ACTIVE_MERGES, type CheckpointRow } from "@liverl/contract/views";
import { Button, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { CheckpointTable } from "#checkpoints/checkpoint-table.tsx";
import styles from "#checkpoints/checkpoints.module.css";
import { Lineage } from "#checkpoints/lineage.tsx";
import { prepareStats } from "#checkpoints/prepare-stats.ts";
import { ResumeDialog } from "#checkpoints/resume-dialog.tsx";
import { useMerges } from "#checkpoints/use-merges.ts";
import { ForkLink } from "#runs/fork-link.tsx";
import { RunFrame } from "#runs/run-frame.tsx";
import { useRun } from "#runs/use-run.ts";
import { useRunMoves } from "#runs/use-run-moves.ts";
import { useRunRoute } from "#shell/use-route.ts";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { formatDuration } from "#ui/format-duration.ts";
import { formatBytes, formatPercent } from "#ui/format-number.ts";
import { Icon } from "#ui/icon.tsx";
import { Panel } from "#ui/panel.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";
import { Stat } from "#ui/stat.tsx";

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
        ) : rows.length === 0 ? (
          <Panel>
            <EmptyState
              title="No checkpoint yet"
              action={
                run?.can.checkpoint === true ? (
                  <Button
                    loading={moves.checkpoint.isPending}
                    onClick={() => moves.checkpoint.mutate({ id: runId })}
                  >
                    Checkpoint now
                  </Button>
                ) : undefined
              }
            >
              {run?.driver === "attached"
                ? "An attached run has metrics only; its checkpoints stay with its trainer."
                : "The trainer writes one every few steps, as its plan says."}
            </EmptyState>
          </Panel>
        ) : (
          <>
            {run && (
              <Panel
                title="Lineage"
                note={
                  run.parent ? (
                    <>
                      fork of <ForkLink fork={run.parent} /> at step {run.parent.step}
                    </>
                  ) : (
                    "x: step · filled marks are on disk"
                  )
                }
                right={<Legend color={run.color} />}
              >
                <Lineage
                  rows={rows}
                  step={run.step}
                  plannedSteps={run.plannedSteps}
                  color={run.color}
                  status={run.status}
                />
              </Panel>
            )}
            <section className="panel stats" aria-label="Checkpoints in numbers">
              <Stat
                label="On disk"
                value={stats.onDisk}
                unit={`of ${stats.total}`}
                below={formatBytes(stats.diskBytes)}
              />
              <Stat
                label="Best by held-out reward"
                value={stats.best === null ? "—" : `step ${stats.best.step}`}
                below={
                  stats.best === null
                    ? "no evaluation yet"
                    : formatPercent(stats.best.heldOutReward)
                }
              />
              <Stat
                label="Last"
                value={stats.last === null ? "—" : `step ${stats.last.step}`}
                below={
                  stats.last?.seconds == null
                    ? "\u00a0"
                    : `written in ${formatDuration(stats.last.seconds)}`
                }
              />
              <Stat
                label="Free on disk"
                value={formatBytes(query.data.freeBytes)}
                below={
                  stats.moreFit === null ? (
                    "\u00a0"
                  ) : stats.moreFit > 999 ? (
                    "room for many more"
                  ) : (
                    <span className={stats.moreFit < 5 ? "warn-t" : undefined}>
                      {stats.moreFit} more fit
                    </span>
                  )
                }
              />
            </section>
            <Panel
              title="Checkpoints"
              right={
                run && (
                  <Tooltip
                    label={
                      run.can.checkpoint === true
                        ? "Written after the current step"
                        : run.can.checkpoint
                    }
                  >
                    <Button
                      size="xs"
                      h={24}
                      px={8}
                      fz={12}
                      leftSection={<Icon name="plus" size={12} />}
                      disabled={run.can.checkpoint !== true}
                      loading={moves.checkpoint.isPending}
                      onClick={() => moves.checkpoint.mutate({ id: runId })}
                    >
                      Checkpoint now
                    </Button>
                  </Tooltip>
                )
              }
            >
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

function Legend({ color }: { color: number }) {
  return (
    <span className={styles.legend}>
      <span>
        <svg width="12" height="12" aria-hidden="true">
          <path d="M6 1l5 5-5 5-5-5z" fill={`var(--c${color})`} />
        </svg>
        on disk
      </span>
      <span>
        <svg width="12" height="12" aria-hidden="true">
          <path
            d="M6 1.5l4.5 4.5-4.5 4.5-4.5-4.5z"
            fill="none"
            stroke="var(--ink-4)"
            strokeWidth="1.3"
          />
        </svg>
        removed
      </span>
    </span>
  );
}
