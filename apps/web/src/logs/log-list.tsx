"use client";
import type { LogLine } from "@liverl/contract/views";
import { Button } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import type { NearestLine } from "#logs/log-lines.ts";
import styles from "#logs/logs.module.css";
import { splitByMatch } from "#trajectories/find-text.ts";
import { formatClock, formatExact } from "#ui/format-time.ts";
import { Icon } from "#ui/icon.tsx";

const LINE = 20;
/** Height of the row above the first line. */
const MORE = 30;

/** The lines, only those in view mounted. It stays at the end while one follows, and lets go when one scrolls up. */
export function LogList({
  lines,
  query,
  nearest,
  hasOlder,
  isLoading,
  isFollowing,
  onFollow,
  onOlder,
  onMark,
}: {
  lines: readonly LogLine[];
  query: string;
  /** The line nearest to the wanted moment: shown, and marked where it is near. */
  nearest: NearestLine | null;
  hasOlder: boolean;
  isLoading: boolean;
  isFollowing: boolean;
  onFollow: (isFollowing: boolean) => void;
  onOlder: () => void;
  onMark: (at: string) => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    overscan: 30,
    scrollMargin: MORE,
    getItemKey: (index) => lines[index]?.offset ?? index,
  });
  const last = lines.at(-1)?.offset ?? null;
  const top = virtual.scrollOffset ?? 0;
  const first = virtual.getVirtualItems().find((place) => place.end > top + MORE)?.index ?? 0;
  const topTime = lines.slice(first).find(({ at }) => at !== null)?.at ?? null;
  useEffect(() => {
    if (isFollowing && last !== null) virtual.scrollToIndex(lines.length - 1, { align: "end" });
  }, [isFollowing, last, lines.length, virtual]);
  const marked = nearest?.index ?? null;
  useEffect(() => {
    if (marked !== null) virtual.scrollToIndex(marked, { align: "center" });
  }, [marked, virtual]);
  return (
    <>
      <section
        ref={scroller}
        className={`${styles.scroller} scroll`}
        aria-label="Log lines"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text must be reachable by keyboard
        tabIndex={0}
        onWheel={(event) => {
          if (event.deltaY < 0 && isFollowing) onFollow(false);
        }}
        onPointerDown={(event) => {
          // Only the scroll bar is the element itself; lines are its children.
          if (isFollowing && event.target === event.currentTarget) onFollow(false);
        }}
        onKeyDown={(event) => {
          if (isFollowing && ["ArrowUp", "PageUp", "Home"].includes(event.key)) onFollow(false);
          if (event.key === "m" && !event.ctrlKey && !event.metaKey && topTime !== null)
            onMark(topTime);
        }}
      >
        <div className={styles.more} style={{ height: MORE }}>
          {hasOlder ? (
            <Button
              variant="subtle"
              color="gray"
              size="xs"
              h={22}
              loading={isLoading}
              onClick={onOlder}
            >
              Read older lines
            </Button>
          ) : (
            <span className="f11 i3">begin of the file</span>
          )}
        </div>
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map((place) => {
            const line = lines[place.index];
            if (!line) return null;
            return (
              <div
                key={place.key}
                ref={virtual.measureElement}
                data-index={place.index}
                className={styles.line}
                data-level={line.level}
                data-on={(nearest?.isNear && place.index === marked) || undefined}
                style={{
                  position: "absolute",
                  top: 0,
                  left: 0,
                  transform: `translateY(${place.start - MORE}px)`,
                }}
              >
                <LineTime at={line.at} onMark={onMark} />
                <span className={styles.level}>{line.level === "unknown" ? "" : line.level}</span>
                <span className={styles.text}>
                  {splitByMatch(line.text, query).map((piece, at) => {
                    // Pieces of one line have no identity but their place.
                    const key = `${at}`;
                    return piece.isMatch ? (
                      <mark key={key}>{piece.text}</mark>
                    ) : (
                      <span key={key}>{piece.text}</span>
                    );
                  })}
                </span>
              </div>
            );
          })}
        </div>
      </section>
      {!isFollowing && (
        <Button
          className={styles.jump}
          leftSection={<Icon name="down" size={13} />}
          onClick={() => onFollow(true)}
        >
          Follow the end
        </Button>
      )}
    </>
  );
}

function LineTime({ at, onMark }: { at: string | null; onMark: (at: string) => void }) {
  if (at === null) return <span />;
  return (
    <button
      type="button"
      // A stop of Tab at each line would be hundreds: the list has a key for it.
      tabIndex={-1}
      className={styles.time}
      title={`${formatExact(at)} · link to this moment`}
      onClick={() => onMark(at)}
    >
      <time dateTime={at}>{formatClock(at)}</time>
    </button>
  );
}
