"use client";
import type { OfSegment, TurnOutline } from "@liverl/contract/turn-view";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { Lens } from "#trajectories/prepare-lens.ts";
import { turnQuery } from "#trajectories/turn-query.ts";
import { useTRPC } from "#trpc/client.tsx";

/** Turns that a page shows at first. */
const OPENING = 4;

/** How the page is to open. */
interface Opening {
  lens: Lens;
  exact: boolean;
  /** Node that is jumped to. */
  turn: number | null;
}
const PLAIN: Opening = { lens: "none", exact: false, turn: null };

/**
 * Asks for a rollout and, as soon as its outline is there, for the turns that are shown first; both before the page is
 * mounted, so that neither waits for the other's paint.
 */
export function useOpenTrajectory(): (of: OfSegment, opening?: Opening) => void {
  const client = useQueryClient();
  const trpc = useTRPC();
  return useCallback(
    (of, opening = PLAIN) => {
      // What fails here the page asks for again, and says.
      void openTrajectory(client, trpc, of, opening).catch(() => undefined);
    },
    [client, trpc],
  );
}

async function openTrajectory(
  client: QueryClient,
  trpc: ReturnType<typeof useTRPC>,
  of: OfSegment,
  opening: Opening,
): Promise<void> {
  const view = await client.fetchQuery(trpc.trajectory.get.queryOptions(of));
  for (const turn of firstShown(view, opening.turn))
    void client.prefetchQuery(turnQuery(trpc, of, turn, opening));
}

/** From the turn that is jumped to; of a live rollout the last ones, of any other the first. */
function firstShown(
  { turns, live }: { turns: readonly TurnOutline[]; live: boolean },
  jumped: number | null,
): readonly TurnOutline[] {
  const at = turns.findIndex(({ nodeId }) => nodeId === jumped);
  if (at >= 0) return turns.slice(at, at + OPENING);
  return live ? turns.slice(-OPENING) : turns.slice(0, OPENING);
}
