"use client";
import type { OfSegment, TurnOutline } from "@liverl/contract/turn-view";
import type { Lens } from "#trajectories/prepare-lens.ts";
import { CLOSED_RANGE, type Part, sizeOf, type TurnRange } from "#trajectories/turn-range.tsx";
import { FOR_GOOD } from "#trajectories/use-tokens.ts";
import type { useTRPC } from "#trpc/client.tsx";

type Shown = { lens: Lens; exact: boolean };

const partOfGiven = ({ lens, exact }: Shown): Part =>
  exact || lens === "mask" ? "tokens" : "text";

/** Whether a turn is shown as its tokens or as text. */
export const partOf = (turn: TurnOutline, shown: Shown) =>
  turn.kind === "sampled" ? "tokens" : partOfGiven(shown);

/** How the turns of a page that opens so are asked for, all at once. */
export const askedOf = (shown: Shown) => ({
  given: partOfGiven(shown),
  most: { tokens: sizeOf(CLOSED_RANGE, "tokens"), text: sizeOf(CLOSED_RANGE, "text") },
});

/** What is read of a turn that is shown so: who asks ahead asks for the very same. */
export function turnQuery(
  trpc: ReturnType<typeof useTRPC>,
  of: OfSegment,
  turn: TurnOutline,
  shown: Shown,
  range: TurnRange = CLOSED_RANGE,
) {
  const part = partOf(turn, shown);
  return trpc.trajectory.turn.queryOptions(
    { ...of, nodeId: turn.nodeId, part, from: range.from, size: sizeOf(range, part) },
    FOR_GOOD,
  );
}
