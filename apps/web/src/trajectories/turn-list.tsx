"use client";
import type { OfSegment, TurnOutline } from "@liverl/contract/turn-view";
import { useDebouncedCallback } from "@mantine/hooks";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Look } from "#trajectories/token-run.tsx";
import styles from "#trajectories/trajectories.module.css";
import { estimateHeight } from "#trajectories/turn-range.tsx";
import { useTurnsAhead } from "#trajectories/use-turns-ahead.ts";
import type { VisibleTurn } from "#trajectories/visible-turn.ts";

const OVERSCAN = 2;
/** So near to its end a list counts as scrolled to it, CSS pixels. */
const AT_END = 60;
/** So long after a scroll, or at the latest while it goes on, outline and time strip follow it: never in the frame that mounts turns. */
const FOLLOW_MS = { delay: 20, maxWait: 80 };
/** What is mounted before the list's own size is known: what most screens show, so that one pass suffices. */
const FIRST_RECT = { width: 800, height: 600 };

/** Turns of which only those in view are mounted. One that grows is followed until one scrolls away from its end. */
export function TurnList({
  of,
  turns,
  look,
  current,
  follows,
  visible,
  children,
  end,
}: {
  of: OfSegment;
  turns: readonly TurnOutline[];
  look: Look;
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
  // What is out of sight is mounted once the rest is on the screen.
  const [overscan, setOverscan] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setOverscan(OVERSCAN));
    return () => clearTimeout(timer);
  }, []);
  const virtual = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const turn = turns[index];
      return turn ? estimateHeight(turn) : 90;
    },
    getItemKey: (index) => turns[index]?.nodeId ?? index,
    overscan,
    paddingStart: 12,
    paddingEnd: 24,
    initialRect: FIRST_RECT,
    // A height that proves to be another moves what is below it, and renders nothing.
    directDomUpdates: true,
    directDomUpdatesMode: "position",
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
  useTurnsAhead(of, turns, look, [places[0]?.index ?? 0, places.at(-1)?.index ?? 0]);
  const tellTop = useDebouncedCallback(visible.set, FOLLOW_MS);
  // Its height and its rows by what the virtualizer knows: to ask the page would lay it out once more in each frame.
  const tellPlace = ({ currentTarget: { scrollTop } }: React.UIEvent) => {
    const bottom = scrollTop + (virtual.scrollRect?.height ?? 0);
    isAtEnd.current = bottom > virtual.getTotalSize() - AT_END;
    const first = virtual.getVirtualItemForOffset(scrollTop + AT_END / 2);
    tellTop(turns[first?.index ?? -1]?.nodeId ?? null);
  };
  const nodeAtTop = turns[places[0]?.index ?? -1]?.nodeId ?? null;
  useEffect(() => visible.set(visible.get() ?? nodeAtTop), [visible, nodeAtTop]);
  return (
    <section
      ref={scroller}
      className={`${styles.talkList} scroll`}
      aria-label="Turns"
      onScroll={tellPlace}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text must be reachable by keyboard
      tabIndex={0}
    >
      <div ref={virtual.containerRef} style={{ position: "relative" }}>
        {places.map((place) => {
          const turn = turns[place.index];
          return (
            turn && (
              <div
                key={place.key}
                ref={virtual.measureElement}
                data-index={place.index}
                className={styles.place}
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
