import {
  ATTACHED_RUN_MOVES,
  isTerminal,
  RUN_MOVES,
  type RunDiagnosis,
  RunStatus,
} from "@liverl/contract/run";
import { Prisma } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

export interface RunMove {
  to: RunStatus;
  /** Why, in words: shown beside the status. */
  reason: string | null;
  actor: string;
  /** What else changes with the status, in the same statement. */
  change?: {
    stopMode?: string | null;
    resumeFrom?: string | null;
    heldOutReward?: number | null;
    released?: boolean;
    crashes?: number;
    importedAt?: null;
    /** Cleared by every move that brings none. */
    diagnosis?: RunDiagnosis | null;
    endedAt?: Date;
  };
}

/** The only writer of a run's status. False when the run is not in a state that may go there: somebody else was first. */
export async function moveRun(
  ctx: Pick<Context, "db" | "live">,
  id: string,
  { to, reason, actor, change }: RunMove,
): Promise<boolean> {
  const now = new Date();
  const { count } = await ctx.db.run.updateMany({
    where: {
      id,
      OR: [
        { driver: "attached", status: { in: sourcesOf(ATTACHED_RUN_MOVES, to) } },
        { driver: { not: "attached" }, status: { in: sourcesOf(RUN_MOVES, to) } },
      ],
    },
    data: {
      status: to,
      statusReason: reason,
      ...(isTerminal(to) ? { endedAt: now } : { endedAt: null }),
      ...change,
      diagnosis: change?.diagnosis ?? Prisma.DbNull,
    },
  });
  if (count === 0) return false;
  if (to === "booting")
    await ctx.db.run.updateMany({ where: { id, startedAt: null }, data: { startedAt: now } });
  await recordRunEvent(ctx, id, {
    kind: "status",
    actor,
    message: reason ? `${to}: ${reason}` : to,
  });
  return true;
}

function sourcesOf(moves: Record<RunStatus, readonly RunStatus[]>, to: RunStatus): RunStatus[] {
  return RunStatus.options.filter((status) => moves[status].includes(to));
}
