import type { TurnOutline } from "@liverl/contract/turn-view";
import type { OpenedTrajectory, OpenTrajectory } from "@liverl/contract/views";
import type { Context } from "#context.ts";
import { getSegment } from "#trajectories/get-segment.ts";
import { getTrajectory } from "#trajectories/get-trajectory.ts";
import { viewTurn } from "#trajectories/view-turn.ts";

/** Turns that a page shows at first. */
const OPENING = 4;

/** A rollout and the turns that are seen of it first, in one answer: a page of it is painted after one request. */
export async function openTrajectory(
  ctx: Pick<Context, "db" | "pool" | "config" | "log" | "runner">,
  { at, given, most, ...of }: OpenTrajectory,
): Promise<OpenedTrajectory> {
  const view = await getTrajectory(ctx, of);
  const shown = firstShown(view, at);
  if (shown.length === 0) return { view, turns: [] };
  const { tokenizer, ...record } = await getSegment(ctx, of);
  return {
    view,
    turns: shown.map(({ nodeId, kind }) => {
      const part = kind === "sampled" ? "tokens" : given;
      return viewTurn(record, { nodeId, part, from: 0, size: most[part] }, tokenizer);
    }),
  };
}

/** From the turn that is jumped to; of a live rollout the last ones, of any other the first. */
function firstShown(
  { turns, live }: { turns: readonly TurnOutline[]; live: boolean },
  jumped: number | undefined,
): readonly TurnOutline[] {
  const from = turns.findIndex(({ nodeId }) => nodeId === jumped);
  if (from >= 0) return turns.slice(from, from + OPENING);
  return live ? turns.slice(-OPENING) : turns.slice(0, OPENING);
}
