"use client";
import type { RolloutRow } from "@liverl/contract/views";
import { useHotkeys } from "@mantine/hooks";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import styles from "#rollouts/rollouts.module.css";
import {
  endedAs,
  formatAdvantage,
  formatVersions,
  wallSeconds,
} from "#trajectories/prepare-facts.ts";
import { formatDuration } from "#ui/format-duration.ts";
import { formatCount } from "#ui/format-number.ts";
import { Icon } from "#ui/icon.tsx";
import { Link } from "#ui/link.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { When } from "#ui/when.tsx";

const ROW = 36;
const HEAD = 30;

/** Rollouts, newest first, only those in view mounted. `j` and `k` walk, Enter opens. */
export function RolloutTable({
  rows,
  hrefOf,
  onEnd,
}: {
  rows: readonly RolloutRow[];
  hrefOf: (rolloutId: string) => string;
  onEnd: () => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const router = useRouter();
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
    if (picked !== null) router.push(hrefOf(picked));
  };
  useHotkeys([
    ["J", () => walk(1)],
    ["K", () => walk(-1)],
    ["Enter", open, { preventDefault: false }],
  ]);
  return (
    <div
      ref={scroller}
      className={`${styles.scroller} scroll`}
      role="table"
      aria-label="Rollouts"
      aria-rowcount={rows.length + 1}
    >
      {/* biome-ignore lint/a11y/useFocusableInteractive: the rows are links, which take the focus */}
      <div className={`${styles.row} ${styles.head}`} role="row">
        {COLUMNS.map(([label, isNumber]) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the rows are links, which take the focus
          <span key={label} role="columnheader" className={isNumber ? "num" : undefined}>
            {label}
          </span>
        ))}
      </div>
      <div style={{ height: virtual.getTotalSize(), position: "relative" }} role="rowgroup">
        {shown.map((place) => {
          const row = rows[place.index];
          if (!row) return null;
          return (
            <Row
              key={row.rolloutId}
              row={row}
              href={hrefOf(row.rolloutId)}
              top={place.start - HEAD}
              isOn={row.rolloutId === picked}
              index={place.index}
            />
          );
        })}
      </div>
    </div>
  );
}

const COLUMNS: readonly [string, boolean][] = [
  ["Task", false],
  ["Step", true],
  ["Rollout", true],
  ["Reward", true],
  ["Advantage", true],
  ["Turns", true],
  ["Sampled", true],
  ["Total", true],
  ["Weights", true],
  ["Ended", false],
  ["Wall", true],
  ["Started", true],
];

function Row({
  row,
  href,
  top,
  isOn,
  index,
}: {
  row: RolloutRow;
  href: string;
  top: number;
  isOn: boolean;
  index: number;
}) {
  const isDone = row.status !== "queued" && row.status !== "running";
  return (
    <Link
      href={href}
      prefetch={false}
      className={styles.row}
      data-on={isOn || undefined}
      data-quiet={row.status === "cancelled" || undefined}
      role="row"
      aria-rowindex={index + 2}
      style={{ position: "absolute", top: 0, left: 0, right: 0, transform: `translateY(${top}px)` }}
    >
      <span role="cell" className="row trunc" style={{ gap: 8 }}>
        <StatusDot kind={dotOf(row)} />
        <span className="m trunc">{row.taskName}</span>
      </span>
      <span role="cell" className="num">
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
        {formatAdvantage(row.advantage)}
      </span>
      <span role="cell" className="num">
        {row.turns}
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
      <span role="cell" className="trunc">
        {row.error ? <span className="warn-t">{row.error.exception_type}</span> : endedAs(row)}
        {row.truncated && <span className="warn-t"> · truncated</span>}
        {row.integrityKinds.length > 0 && (
          <span className="warn-t" title={`Integrity: ${row.integrityKinds.join(", ")}`}>
            {" "}
            <Icon name="flag" size={12} /> {row.integrityKinds.length}
          </span>
        )}
        {row.keptSegments > 0 && (
          <span
            className="i3"
            title="mode-single-output: the trainer takes one path of each rollout"
          >
            {` · ${row.keptSegments} kept`}
          </span>
        )}
      </span>
      <span role="cell" className="num">
        {formatDuration(wallSeconds(row))}
      </span>
      <span role="cell" className="num i3">
        <When at={row.startedAt} />
      </span>
    </Link>
  );
}

function dotOf(row: RolloutRow): "run" | "off" | "ok" | "bad" | "warn" {
  if (row.status === "running") return "run";
  if (row.status === "queued" || row.status === "cancelled") return "off";
  if (row.reward === null) return "warn";
  return row.reward >= 1 ? "ok" : "bad";
}
