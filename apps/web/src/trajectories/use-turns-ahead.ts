"use client";
import type { OfSegment, TurnOutline } from "@liverl/contract/turn-view";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Lens } from "#trajectories/prepare-lens.ts";
import { turnQuery } from "#trajectories/turn-query.ts";
import { useTRPC } from "#trpc/client.tsx";

/** Turns of one request. */
const BLOCK = 12;
/** So long before they are mounted turns are there, in turns. */
const AHEAD = 8;
/** What is in view is asked for first, alone. */
const AFTER_MS = 100;

/**
 * Reads the turns around those that are mounted, block by block: scrolling then mounts each one once, whole, and in
 * its own height, and costs one request in twelve turns.
 */
export function useTurnsAhead(
  of: OfSegment,
  turns: readonly TurnOutline[],
  { lens, exact }: { lens: Lens; exact: boolean },
  [first, last]: readonly [number, number],
): void {
  const client = useQueryClient();
  const trpc = useTRPC();
  const from = Math.max(0, Math.floor((first - AHEAD) / BLOCK)) * BLOCK;
  const to = Math.min(turns.length, Math.ceil((last + AHEAD) / BLOCK) * BLOCK);
  useEffect(() => {
    const late = setTimeout(() => {
      for (const turn of turns.slice(from, to))
        void client.prefetchQuery(turnQuery(trpc, of, turn, { lens, exact }));
    }, AFTER_MS);
    return () => clearTimeout(late);
  }, [client, trpc, of, turns, lens, exact, from, to]);
}
