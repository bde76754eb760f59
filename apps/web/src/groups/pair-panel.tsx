"use client";
import type { RolloutActs } from "@liverl/contract/turn-view";
import type { RolloutRow, TrajectoryView } from "@liverl/contract/views";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { type ReactNode, useMemo } from "react";
import styles from "#groups/groups.module.css";
import { prepareMarks } from "#groups/prepare-marks.ts";
import { DiffLines } from "#trajectories/diff-lines.tsx";
import { parsePatch } from "#trajectories/parse-patch.ts";
import { toolIcon } from "#trajectories/prepare-outline.ts";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Icon } from "#ui/icon.tsx";
import { Kbd } from "#ui/kbd.tsx";
import { Panel } from "#ui/panel.tsx";
import { Seg } from "#ui/seg.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const VIEWS = [
  { value: "patch", label: "Patch" },
  { value: "calls", label: "Tool calls" },
  { value: "final", label: "Final message" },
] as const;

/** Two rollouts, of a group or of two runs, what they did set side by side. */
export function PairPanel({
  a,
  b,
  names,
  onSwap,
}: {
  a: RolloutRow;
  b: RolloutRow;
  /** How each is called; by its place in the group where it is left out. */
  names?: { a: ReactNode; b: ReactNode };
  onSwap: () => void;
}) {
  const trpc = useTRPC();
  const [show, setShow] = useQueryState(
    "show",
    parseAsStringLiteral(["patch", "calls", "final"]).withDefault("patch"),
  );
  const left = useQuery(trpc.trajectory.get.queryOptions({ rolloutId: a.rolloutId }));
  const right = useQuery(trpc.trajectory.get.queryOptions({ rolloutId: b.rolloutId }));
  const failed = left.error ? left : right.error ? right : null;
  return (
    <Panel
      label="Two rollouts side by side"
      title={
        <span className="row">
          <Side letter="A" color="var(--c1)" row={a} name={names?.a} />
          <span className="i3" style={{ fontWeight: 400 }}>
            against
          </span>
          <Side letter="B" color="var(--c3)" row={b} name={names?.b} />
        </span>
      }
      right={
        <>
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            h={24}
            px={8}
            fz={12}
            onClick={onSwap}
            rightSection={<Kbd>x</Kbd>}
          >
            Swap
          </Button>
          <Seg
            label="What to set side by side"
            value={show}
            options={VIEWS}
            onChange={(next) => void setShow(next)}
          />
        </>
      }
    >
      {failed ? (
        <ErrorState
          what="A rollout could not be read"
          error={failed.error}
          onRetry={() => void failed.refetch()}
        />
      ) : !left.data || !right.data ? (
        <SkeletonRows rows={5} height={24} />
      ) : show === "patch" ? (
        <Patches left={left.data} right={right.data} />
      ) : (
        <div className={styles.pair}>
          {[a, b].map(({ rolloutId }) => (
            <Acts key={rolloutId} rolloutId={rolloutId} show={show} />
          ))}
        </div>
      )}
    </Panel>
  );
}

function Side({
  letter,
  color,
  row,
  name = `Rollout ${row.index + 1}`,
}: {
  letter: string;
  color: string;
  row: RolloutRow;
  name?: ReactNode;
}) {
  return (
    <span className="row" style={{ gap: 6 }}>
      <span className={styles.badge} style={{ background: color }}>
        {letter}
      </span>
      {name}
      <span className="i3" style={{ fontWeight: 400 }}>
        {row.reward === null ? "no reward" : `reward ${row.reward}`}
      </span>
    </span>
  );
}

function Patches({ left, right }: { left: TrajectoryView; right: TrajectoryView }) {
  const lines = useMemo(
    () => [parsePatch(left.patch ?? ""), parsePatch(right.patch ?? "")] as const,
    [left.patch, right.patch],
  );
  const marks = useMemo(() => prepareMarks(lines[0], lines[1]), [lines]);
  return (
    <div className={styles.pair}>
      {(
        [
          [left, lines[0], marks.left],
          [right, lines[1], marks.right],
        ] as const
      ).map(([view, patch, own]) => (
        <div key={view.rollout.rolloutId}>
          {patch.length === 0 ? (
            <EmptyState title={view.patch === null ? "No patch" : "Nothing changed"} />
          ) : (
            <DiffLines lines={patch} marks={own} />
          )}
        </div>
      ))}
    </div>
  );
}

function Acts({ rolloutId, show }: { rolloutId: string; show: "calls" | "final" }) {
  const query = useQuery(useTRPC().trajectory.acts.queryOptions({ rolloutId }));
  if (query.isError)
    return (
      <ErrorState
        what="A rollout could not be read"
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data) return <SkeletonRows rows={5} height={24} />;
  if (show === "calls") return <Calls calls={query.data.calls} />;
  const { final } = query.data;
  if (final === null) return <EmptyState title="Nothing was sampled" />;
  return <div className={styles.final}>{final || "An empty message."}</div>;
}

function Calls({ calls }: Pick<RolloutActs, "calls">) {
  if (calls.length === 0) return <EmptyState title="No tool was called" />;
  return (
    <div className={styles.calls}>
      {calls.map((call) => (
        <div key={`${call.turn} ${call.id}`} className={styles.call}>
          <span>{call.turn}</span>
          <Icon name={toolIcon(call.name)} size={13} />
          <div>
            <b className="med">{call.name}</b> <span className="m">{call.summary}</span>
            {call.answer !== null && <p className="m">{call.answer}</p>}
          </div>
        </div>
      ))}
    </div>
  );
}
