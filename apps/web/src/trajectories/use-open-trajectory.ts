"use client";
import type { OfSegment } from "@liverl/contract/turn-view";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { Lens } from "#trajectories/prepare-lens.ts";
import { askedOf, turnQuery } from "#trajectories/turn-query.ts";
import { useTRPC, useTRPCClient } from "#trpc/client.tsx";

/** How the page is to open. */
interface Opening {
  lens: Lens;
  exact: boolean;
  /** Node that is jumped to. */
  turn: number | null;
}
const FRESH_MS = 2_000;
const PLAIN: Opening = { lens: "none", exact: false, turn: null };

/**
 * Asks for a rollout and the turns that are shown first, before the page is mounted: no request waits for a paint.
 */
export function useOpenTrajectory(): (of: OfSegment, opening?: Opening) => void {
  const client = useQueryClient();
  const trpc = useTRPC();
  const api = useTRPCClient();
  return useCallback(
    // What fails the page says.
    (of, opening = PLAIN) => void openTrajectory(client, trpc, api, of, opening),
    [client, trpc, api],
  );
}

/** The first turns come with the outline, so that the page mounts once, whole. */
async function openTrajectory(
  client: QueryClient,
  trpc: ReturnType<typeof useTRPC>,
  api: ReturnType<typeof useTRPCClient>,
  of: OfSegment,
  opening: Opening,
): Promise<void> {
  await client.prefetchQuery({
    ...trpc.trajectory.get.queryOptions(of),
    // What was asked for when the pointer came to rest is not asked for again by the press.
    staleTime: FRESH_MS,
    queryFn: async () => {
      const { view, turns } = await api.trajectory.open.query({
        ...of,
        ...(opening.turn !== null && { at: opening.turn }),
        ...askedOf(opening),
      });
      for (const turn of turns) {
        const outline = view.turns.find(({ nodeId }) => nodeId === turn.nodeId);
        if (outline) client.setQueryData(turnQuery(trpc, of, outline, opening).queryKey, turn);
      }
      return view;
    },
  });
}
