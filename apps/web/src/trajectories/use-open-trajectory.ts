"use client";
import type { OfSegment, TurnOutline } from "@liverl/contract/turn-view";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { Lens } from "#trajectories/prepare-lens.ts";
import { turnQuery } from "#trajectories/turn-query.ts";
import { useTRPC, useTRPCClient } from "#trpc/client.tsx";

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

/** The outline is given out once the first turns are there too: one request more, and the page mounts once and not twice. */
async function openTrajectory(
  client: QueryClient,
  trpc: ReturnType<typeof useTRPC>,
  api: ReturnType<typeof useTRPCClient>,
  of: OfSegment,
  opening: Opening,
): Promise<void> {
  await client.prefetchQuery({
    ...trpc.trajectory.get.queryOptions(of),
    queryFn: async () => {
      const view = await api.trajectory.get.query(of);
      const first = firstShown(view, opening.turn);
      // Once: a turn that can not be read holds up nothing, and says so in its place.
      await Promise.all(
        first.map((turn) =>
          client.prefetchQuery({ ...turnQuery(trpc, of, turn, opening), retry: false }),
        ),
      );
      return view;
    },
  });
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
