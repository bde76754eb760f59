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

/** Whether a lens shows what an update computed of this turn. */
export function needsTrained(
  { kind, trained, lossy }: TurnOutline,
  { lens, clip }: Pick<Look, "lens" | "clip">,
): boolean {
  const trains = kind === "sampled" ? trained : (lossy?.trained ?? 0) > 0;
  return clip !== null && trains && OF_TRAINER.includes(lens);
}

/** What the update computed of the range that is shown; null until it is read. */
export function useTrained(of: OfSegment, turn: TurnOutline, body: TurnView): TrainedPage | null {
  const tokens = body.tokens.ids.length;
  const query = useQuery(
    useTRPC().trajectory.trained.queryOptions(
      {
        ...of,
        from: turn.at + body.from,
        size: Math.max(1, Math.min(tokens, MOST_TURN_TOKENS)),
      },
      { ...FOR_GOOD, enabled: tokens > 0 },
    ),
  );
  return query.data ?? null;
}
