"use client";
import type { TurnOutline } from "@liverl/contract/turn-view";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";
import styles from "#trajectories/trajectories.module.css";
import { estimateHeight } from "#trajectories/turn-range.tsx";
import type { VisibleTurn } from "#trajectories/visible-turn.ts";

const OVERSCAN = 2;
/** So near to its end a list counts as scrolled to it, CSS pixels. */
const AT_END = 60;

/** Turns of which only those in view are mounted. One that grows is followed until one scrolls away from its end. */
export function TurnList({
  turns,
  current,
  follows,
  visible,
  children,
  end,
}: {
  turns: readonly TurnOutline[];
  /** Node that was jumped to. */
  current: number | null;
  follows: boolean;
  visible: VisibleTurn;
  children: (turn: TurnOutline) => ReactNode;
  /** After the last turn. */
  end: ReactNode;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(current === null);
  const virtual = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const turn = turns[index];
      return turn ? estimateHeight(turn) : 90;
    },
    getItemKey: (index) => turns[index]?.nodeId ?? index,
    overscan: OVERSCAN,
    paddingStart: 12,
    paddingEnd: 24,
  });
  const { scrollToIndex } = virtual;
  const last = useRef<number | null>(null);
  const at = current === null ? -1 : turns.findIndex(({ nodeId }) => nodeId === current);
  // Once for each jump, so that one may scroll on from there.
  useEffect(() => {
    if (at < 0 || last.current === current) return;
    last.current = current;
    isAtEnd.current = false;
    scrollToIndex(at, { align: "start" });
  }, [at, current, scrollToIndex]);
  useEffect(() => {
    if (follows && isAtEnd.current && turns.length > 0)
      scrollToIndex(turns.length - 1, { align: "end" });
  }, [follows, turns.length, scrollToIndex]);
  const places = virtual.getVirtualItems();
  const top = virtual.scrollOffset ?? 0;
  const first = places.find((place) => place.end > top + AT_END / 2);
  const topNode = turns[first?.index ?? -1]?.nodeId ?? null;
  useEffect(() => visible.set(topNode), [visible, topNode]);
  return (
    <section
      ref={scroller}
      className={`${styles.talkList} scroll`}
      aria-label="Turns"
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight > scrollHeight - AT_END;
      }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text must be reachable by keyboard
      tabIndex={0}
    >
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {places.map((place) => {
          const turn = turns[place.index];
          return (
            turn && (
              <div
                key={place.key}
                ref={virtual.measureElement}
                data-index={place.index}
                className={styles.place}
                style={{ transform: `translateY(${place.start}px)` }}
              >
                {children(turn)}
              </div>
            )
          );
        })}
      </div>
      {end}
    </section>
  );
}
