import type { Contradiction } from "@liverl/contract/verifier-view";
import type { Rollout } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { answerOf } from "#trajectories/answer-of.ts";
import { isContradicted } from "#trajectories/compare-answers.ts";

/** Earlier rollouts of the task that are looked at, the newest first. */
const LOOKED_AT = 64;

/** The newest earlier rollout of the run that gave the same answer to the task, word for word, and got another reward; null: none. */
export async function findContradiction(
  ctx: Pick<Context, "db" | "config">,
  row: Rollout,
): Promise<Contradiction | null> {
  const { runId, taskId, mode, reward, directory } = row;
  // What trained in no step is judged by the step that asked.
  const step = row.step ?? row.askedStep;
  if (runId === null || step === null || reward === null || directory === null) return null;
  const answer = await answerOf(ctx, directory);
  if (answer === null) return null;
  const earlier = await ctx.db.rollout.findMany({
    where: { runId, taskId, mode, ...before(step), reward: { not: null } },
    orderBy: [{ step: "desc" }, { rolloutId: "asc" }],
    take: LOOKED_AT,
  });
  for (const one of earlier) {
    const at = one.step ?? one.askedStep;
    if (one.directory === null || one.reward === null || at === null) continue;
    if (!isContradicted(reward, one.reward)) continue;
    if ((await answerOf(ctx, one.directory)) !== answer) continue;
    return { rolloutId: one.rolloutId, step: at, reward: one.reward };
  }
  return null;
}

const before = (step: number) => ({
  OR: [{ step: { lt: step } }, { step: null, askedStep: { lt: step } }],
});
