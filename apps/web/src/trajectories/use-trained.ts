"use client";
import type { TrainedPage } from "@liverl/contract/trained-view";
import {
  MOST_TURN_TOKENS,
  type OfSegment,
  type TurnOutline,
  type TurnView,
} from "@liverl/contract/turn-view";
import { useQuery } from "@tanstack/react-query";
import type { Lens } from "#trajectories/prepare-lens.ts";
import type { Look } from "#trajectories/token-run.tsx";
import { FOR_GOOD } from "#trajectories/use-tokens.ts";
import { useTRPC } from "#trpc/client.tsx";

const OF_TRAINER: readonly Lens[] = ["entropy", "ratio", "mismatch", "advantage"];

/** What the update computed of the range that is shown; null until it is read, and under lenses that need none of it. */
export function useTrained(
  of: OfSegment,
  turn: TurnOutline,
  body: TurnView | undefined,
  { lens, clip }: Pick<Look, "lens" | "clip">,
): TrainedPage | null {
  const tokens = body?.tokens.ids.length ?? 0;
  const from = turn.at + (body?.from ?? 0);
  const trains = turn.kind === "sampled" ? turn.trained : (turn.lossy?.trained ?? 0) > 0;
  const query = useQuery(
    useTRPC().trajectory.trained.queryOptions(
      { ...of, from, size: Math.max(1, Math.min(tokens, MOST_TURN_TOKENS)) },
      { ...FOR_GOOD, enabled: clip !== null && trains && tokens > 0 && OF_TRAINER.includes(lens) },
    ),
  );
  return query.data ?? null;
}
