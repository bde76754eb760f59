"use client";
import type { TrajectoryView } from "@liverl/contract/views";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { countTokens } from "#trajectories/prepare-tokens.ts";
import { useTRPC } from "#trpc/client.tsx";

/** Reads again what a live rollout makes stale: the last page of tokens and what was found, as it grows; all once it is over. */
export function useRenewal({ live, turns }: TrajectoryView): void {
  const client = useQueryClient();
  const { trajectory } = useTRPC();
  const total = countTokens(turns);
  const before = useRef({ live, total });
  useEffect(() => {
    const { live: wasLive, total: had } = before.current;
    before.current = { live, total };
    const hasGrown = wasLive && total !== had;
    const stale = wasLive && !live ? [trajectory.turn.pathFilter()] : [];
    if (hasGrown || stale.length > 0)
      stale.push(trajectory.tokens.pathFilter(), trajectory.find.pathFilter());
    for (const filter of stale) void client.invalidateQueries(filter);
  }, [client, trajectory, live, total]);
}
