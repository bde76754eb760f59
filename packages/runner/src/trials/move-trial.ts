import { AppError } from "@liverl/contract/app-error";
import { ROLLOUT_MOVES, type RolloutStatus, type TrialChange } from "@liverl/contract/rollout";
import type { RunnerContext } from "#context.ts";
import type { Trial } from "#trials/trial.ts";

/** The one writer of a trial's status. Durable when it resolves; watchers and the feed see it then. */
export async function moveTrial(
  ctx: Pick<RunnerContext, "journal" | "feed">,
  trial: Trial,
  to: RolloutStatus,
  patch: Partial<Omit<TrialChange, "status" | "cursor">>,
  because: { diedWithRunner?: true } = {},
): Promise<void> {
  const allowed: readonly RolloutStatus[] = ROLLOUT_MOVES[trial.change.status];
  if (!allowed.includes(to)) {
    throw new AppError("CONFLICT", {
      userMessage: `A rollout that is ${trial.change.status} can not become ${to}.`,
    });
  }
  const change: TrialChange = { ...trial.change, ...patch, status: to, cursor: ctx.feed.mint() };
  const { seq } = await ctx.journal.append({ kind: "change", change, ...because });
  trial.change = change;
  ctx.feed.publish(change, seq);
  for (const wake of trial.watchers) wake();
}
