import type { RecordedAdvantage } from "@liverl/contract/views";
import type { Rollout } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { findTrained } from "#trajectories/trained/find-trained.ts";

/** The advantages of trained tokens that the trainer recorded of some rollouts' first segments, by the rollout's id. */
export async function recordedAdvantages(
  ctx: Pick<Context, "config" | "log">,
  runId: string,
  rows: readonly Rollout[],
): Promise<Record<string, RecordedAdvantage>> {
  const found: [string, RecordedAdvantage][] = [];
  for (const { rolloutId, sessionId, mode, step, reward } of rows) {
    if (mode !== "train" || step === null || reward === null) continue;
    const { trained } = await findTrained(ctx, { runId, sessionId, step }, 0, step);
    const values = [...(trained?.columns.advantage ?? [])].filter(Number.isFinite);
    if (values.length === 0) continue;
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    found.push([rolloutId, { min: Math.min(...values), mean, max: Math.max(...values) }]);
  }
  return Object.fromEntries(found);
}
