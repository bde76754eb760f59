"use client";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useRef } from "react";
import type { OutlineRow } from "#trajectories/prepare-outline.ts";
import styles from "#trajectories/trajectories.module.css";
import { useVisibleTurn, type VisibleTurn } from "#trajectories/visible-turn.ts";
import { formatCount } from "#ui/format-number.ts";
import { Icon } from "#ui/icon.tsx";

const ROW = 26;
/** What is mounted before the list's own size is known: what most screens show, so that one pass suffices. */
const FIRST_RECT = { width: 232, height: 600 };

/** Places of the conversation, which follow it as it scrolls; the last one opens the verifier. */
export function Outline({
  rows,
  current,
  visible,
  verdict,
  isOver,
  onJump,
  onVerifier,
}: {
  rows: readonly OutlineRow[];
  current: number | null;
  visible: VisibleTurn;
  /** What the verifier said, in a word; null when it has not run. */
  verdict: { label: string; failed: boolean } | null;
  isOver: boolean;
  onJump: (nodeId: number) => void;
  onVerifier: () => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 3,
    initialRect: FIRST_RECT,
  });
  const top = useVisibleTurn(visible);
  // A tool's answer belongs to the turn before it.
  const at = rows.findLastIndex((row) => row.kind === "turn" && top !== null && row.nodeId <= top);
  useEffect(() => {
    const { scrollOffset, scrollRect } = virtual;
    if (at < 0 || scrollOffset === null || scrollRect === null) return;
    // Only where it is out of sight: to scroll lays the page out once more, and `scrollToIndex` does so again in frames to come.
    const isSeen = at * ROW >= scrollOffset && (at + 1) * ROW <= scrollOffset + scrollRect.height;
    if (!isSeen) scroller.current?.scrollTo(0, (at + 0.5) * ROW - scrollRect.height / 2);
  }, [at, virtual]);
  return (
    <nav className={styles.outline} aria-label="Outline">
      <div ref={scroller} className={`${styles.outlineRows} scroll`}>
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map((place) => {
            const row = rows[place.index];
            return (
              row && (
                <div key={place.key} className={styles.place} style={{ top: place.start }}>
                  <Row
                    row={row}
                    isCurrent={row.kind === "turn" && row.nodeId === current}
                    isTop={place.index === at}
                    onJump={onJump}
                  />
                </div>
              )
            );
          })}
        </div>
      </div>
      {isOver && <div className={styles.break}>end of rollout</div>}
      {verdict && (
        <button type="button" data-failed={verdict.failed || undefined} onClick={onVerifier}>
          <span />
          <Icon name="shield" size={13} />
          <span className="trunc">Verifier {verdict.label}</span>
        </button>
      )}
      <div className={styles.key}>
        <div>
          <i />
          sampled, trained
        </div>
        <div>
          <i className="hatch" />
          given, mask 0
        </div>
      </div>
    </nav>
  );
}

const Row = memo(function Row({
  row,
  isCurrent,
  isTop,
  onJump,
}: {
  row: OutlineRow;
  isCurrent: boolean;
  isTop: boolean;
  onJump: (nodeId: number) => void;
}) {
  if (row.kind === "break") return <div className={styles.break}>{row.label}</div>;
  return (
    <button
      type="button"
      aria-current={isCurrent || undefined}
      data-top={isTop || undefined}
      data-failed={row.failed || undefined}
      onClick={() => onJump(row.nodeId)}
    >
      <span className={styles.n}>{row.turn}</span>
      <Icon name={row.icon} size={13} />
      <span className="trunc" title={row.label}>
        {row.label}
      </span>
      <span className={styles.tk}>{formatCount(row.tokens)}</span>
    </button>
  );
});
