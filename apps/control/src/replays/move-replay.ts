import { isReplayOver, REPLAY_MOVES, ReplayStatus } from "@liverl/contract/replay";
import type { Context } from "#context.ts";

/** The only writer of a replay's status. False when it is not in a state that may go there: somebody else was first. */
export async function moveReplay(
  { db }: Pick<Context, "db">,
  id: string,
  to: ReplayStatus,
  error: string | null = null,
): Promise<boolean> {
  const from = ReplayStatus.options.filter((status) =>
    (REPLAY_MOVES[status] as readonly ReplayStatus[]).includes(to),
  );
  const { count } = await db.replay.updateMany({
    where: { id, status: { in: from } },
    data: { status: to, error, endedAt: isReplayOver(to) ? new Date() : null },
  });
  return count > 0;
}
