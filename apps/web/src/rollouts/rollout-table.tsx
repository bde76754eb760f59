"use client";
import { STAGE_WORDS } from "@liverl/contract/live-rollout";
import { describeTraining } from "@liverl/contract/rollout-training";
import type { RolloutRow } from "@liverl/contract/views";
import { Checkbox } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRouter } from "next/navigation";
import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from "react";
import { type RolloutColumn, tracksOf } from "#rollouts/rollout-columns.ts";
import styles from "#rollouts/rollouts.module.css";
import { useScrollMemory } from "#shell/use-scroll-memory.ts";
import {
  endedAs,
  formatAdvantage,
  formatVersions,
  wallSeconds,
} from "#trajectories/prepare-facts.ts";
import { runPageCode } from "#trajectories/run-page-code.ts";
import { TrajectoryLink } from "#trajectories/trajectory-link.tsx";
import { useOpenTrajectory } from "#trajectories/use-open-trajectory.ts";
import { formatAge, formatDuration } from "#ui/format-duration.ts";
import { formatCount } from "#ui/format-number.ts";
import { Icon } from "#ui/icon.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { useNow } from "#ui/use-now.ts";
import { usePageKeys } from "#ui/use-page-keys.ts";
import { When } from "#ui/when.tsx";

const ROW = 36;
const HEAD = 30;

/** Rollouts, only those in view mounted. `j` and `k` walk, `x` marks, Enter opens. */
export function RolloutTable({
  rows,
  columns,
  head,
  marked,
  hrefOf,
  onMark,
  onEnd,
}: {
  rows: readonly RolloutRow[];
  columns: readonly RolloutColumn[];
  head: ReactNode;
  marked: ReadonlySet<string>;
  hrefOf: (rolloutId: string) => string;
  onMark: (rolloutId: string) => void;
  onEnd: () => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const router = useRouter();
  const ask = useOpenTrajectory();
  // By id: rows of a live run come in at the top.
  const [picked, setPicked] = useState<string | null>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
    scrollMargin: HEAD,
    scrollPaddingStart: HEAD,
  });
  // After the virtualizer, which scrolls to the top as it begins.
  useScrollMemory(scroller, "rollouts");
  const shown = virtual.getVirtualItems();
  const lastShown = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (lastShown >= rows.length - 1) onEnd();
  }, [lastShown, rows.length, onEnd]);
  const walk = (by: number) => {
    const here = rows.findIndex(({ rolloutId }) => rolloutId === picked);
    const next = Math.max(0, Math.min(rows.length - 1, here + by));
    setPicked(rows[next]?.rolloutId ?? null);
    virtual.scrollToIndex(next, { align: "auto" });
  };
  const open = (event: KeyboardEvent) => {
    // A focused control keeps its own Enter.
    if (event.target instanceof Element && event.target.closest("a, button") !== null) return;
    if (picked === null) return;
    ask({ rolloutId: picked });
    router.push(hrefOf(picked));
  };
  usePageKeys([
    ["J", () => walk(1)],
    ["K", () => walk(-1)],
    ["X", () => picked !== null && onMark(picked)],
    ["Enter", open, { preventDefault: false }],
  ]);
  const tracks = tracksOf(columns);
  const labels = new Set(columns.map(({ label }) => label));
  return (
    <div
      ref={scroller}
      className={`${styles.scroller} scroll`}
      role="table"
      aria-label="Rollouts"
      aria-rowcount={rows.length + 1}
    >
      <div
        role="presentation"
        style={{ minWidth: tracks.minPx, "--tracks": tracks.template } as CSSProperties}
      >
        {head}
        <div style={{ height: virtual.getTotalSize(), position: "relative" }} role="rowgroup">
          {shown.map((place) => {
            const row = rows[place.index];
            if (!row) return null;
            return (
              <Row
                key={row.rolloutId}
                row={row}
                hasEnded={labels.has("Ended")}
                hasLive={labels.has("Stage")}
                hasFlags={labels.has("Flags")}
                hasTags={labels.has("Tags")}
                href={hrefOf(row.rolloutId)}
                top={place.start - HEAD}
                isOn={row.rolloutId === picked}
                isMarked={marked.has(row.rolloutId)}
                onMark={onMark}
                index={place.index}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

function Row({
  row,
  hasEnded,
  hasLive,
  hasFlags,
  hasTags,
  href,
  top,
  isOn,
  isMarked,
  onMark,
  index,
}: {
  row: RolloutRow;
  hasEnded: boolean;
  hasLive: boolean;
  hasFlags: boolean;
  hasTags: boolean;
  href: string;
  top: number;
  isOn: boolean;
  isMarked: boolean;
  onMark: (rolloutId: string) => void;
  index: number;
}) {
  const isDone = row.status !== "queued" && row.status !== "running";
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the link in it takes the focus
    <div
      className={styles.row}
      data-on={isOn || isMarked || undefined}
      data-quiet={row.status === "cancelled" || undefined}
      role="row"
      aria-rowindex={index + 2}
      style={{ position: "absolute", top: 0, left: 0, right: 0, transform: `translateY(${top}px)` }}
    >
      <span role="cell">
        <Checkbox
          size="xs"
          aria-label={`Mark ${row.rolloutId}`}
          checked={isMarked}
          onChange={() => onMark(row.rolloutId)}
        />
      </span>
      <span role="cell" className="row" style={{ gap: 8 }}>
        <StatusDot kind={dotOf(row)} />
        <TrajectoryLink
          onRest={runPageCode}
          rolloutId={row.rolloutId}
          href={href}
          className={`m trunc ${styles.open}`}
        >
          {row.taskName}
        </TrajectoryLink>
      </span>
      <span
        role="cell"
        className="num"
        title={row.askedStep === row.step ? undefined : `Asked in step ${row.askedStep}`}
      >
        {row.step ?? "—"}
        {row.mode === "eval" && <span className="i3"> eval</span>}
      </span>
      <span role="cell" className="num">
        {row.index + 1}
      </span>
      <span role="cell" className="num semi">
        {row.reward === null ? (
          <span className="i3" style={{ fontWeight: 400 }}>
            {isDone ? "none" : "—"}
          </span>
        ) : (
          row.reward.toFixed(2)
        )}
      </span>
      <span role="cell" className="num">
        <Advantage row={row} />
      </span>
      <span role="cell" className="num">
        {row.turns ?? "—"}
      </span>
      <span role="cell" className="num">
        {formatCount(row.tokensSampled)}
      </span>
      <span role="cell" className="num">
        {formatCount(row.tokensTotal)}
      </span>
      <span role="cell" className="num m">
        {formatVersions(row.versionSpan)}
      </span>
      {hasEnded && <EndedCell row={row} />}
      {hasLive && <LiveCells row={row} />}
      {hasFlags && (
        <span role="cell" className="trunc warn-t" title={row.integrityKinds.join(", ")}>
          {row.integrityKinds.length > 0 && (
            <>
              <Icon name="flag" size={12} /> {row.integrityKinds.join(", ")}
            </>
          )}
        </span>
      )}
      {hasTags && (
        <span role="cell" className="row trunc" style={{ gap: 4 }} title={row.note ?? undefined}>
          {row.note !== null && <Icon name="edit" size={12} />}
          {row.tags.map((tag) => (
            <span key={tag} className="tag">
              {tag}
            </span>
          ))}
        </span>
      )}
      <span role="cell" className="num">
        {isDone ? formatDuration(wallSeconds(row)) : <Age row={row} />}
      </span>
      <span role="cell" className="num i3">
        <When at={row.startedAt} />
      </span>
    </div>
  );
}

function EndedCell({ row }: { row: RolloutRow }) {
  return (
    <span role="cell" className="trunc">
      {row.error ? <span className="warn-t">{row.error.exception_type}</span> : endedAs(row)}
      {row.truncated && <span className="warn-t"> · truncated</span>}
      {row.keptSegments > 0 && (
        <span className="i3" title="mode-single-output: the trainer takes one path of each rollout">
          {` · ${row.keptSegments} kept`}
        </span>
      )}
    </span>
  );
}

/** What a rollout does now, and for how long it gave no sign of life. Unknown is a gap. */
function LiveCells({ row: { live } }: { row: RolloutRow }) {
  const now = useNow(1_000);
  const since = live?.lastSignAt ?? null;
  const idleS = since === null || now === null ? null : (now - Date.parse(since)) / 1_000;
  return (
    <>
      <span role="cell" className="trunc">
        {live === null ? "—" : STAGE_WORDS[live.stage]}
        {live?.isStuck && (
          <span
            className="tag warn-t"
            style={{ marginLeft: 6 }}
            title={stuckWords(idleS, live.usualS)}
          >
            stuck
          </span>
        )}
      </span>
      <span
        role="cell"
        className={live?.isStuck ? "num warn-t semi" : "num"}
        title={live?.isStuck ? stuckWords(idleS, live.usualS) : "Time since the last sign of life"}
      >
        {formatAge(idleS)}
      </span>
    </>
  );
}

/** Time since it started, of one that has not ended. */
function Age({ row: { startedAt } }: { row: RolloutRow }) {
  const now = useNow(1_000);
  return formatDuration(
    startedAt === null || now === null ? null : (now - Date.parse(startedAt)) / 1_000,
  );
}

const stuckWords = (idleS: number | null, usualS: number | null) =>
  `No sign of life for ${formatAge(idleS)}${usualS === null ? "" : ` (usual ${formatDuration(usualS)})`}`;

/** Why there is none stands in its place; that a reward is missing is told beside. */
const OUT: Partial<Record<RolloutRow["training"]["state"], string>> = {
  ...{ filtered: "filtered", stale: "too old", lost: "lost", left: "not taken" },
  ...{ alone: "alone", "no-tokens": "no tokens" },
};

function Advantage({ row: { advantage, training } }: { row: RolloutRow }) {
  const out = OUT[training.state];
  if (out === undefined) return formatAdvantage(advantage);
  return (
    <span className="i3" title={describeTraining(training) ?? undefined}>
      {out}
    </span>
  );
}

function dotOf(row: RolloutRow): "run" | "off" | "ok" | "bad" | "warn" {
  if (row.status === "running") return "run";
  if (row.status === "queued" || row.status === "cancelled") return "off";
  if (row.reward === null) return "warn";
  return row.reward >= 1 ? "ok" : "bad";
}
