import type { RolloutTraining } from "@liverl/contract/rollout-training";
import { RunStatus } from "@liverl/contract/run";
import type { GetTrained, TrainedPage, TrainedSummary } from "@liverl/contract/trained-view";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import type { Rollout, Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { settledSpec } from "#launch/effective-spec.ts";
import { getSegment } from "#trajectories/get-segment.ts";
import { nodesOf, type Segment } from "#trajectories/segment-path.ts";
import { findTrained } from "#trajectories/trained/find-trained.ts";
import { pageTrained } from "#trajectories/trained/page-trained.ts";
import { summariseTrained } from "#trajectories/trained/summarise-trained.ts";
import { whyUntrained } from "#trajectories/trained/why-untrained.ts";

/** What the update that took a segment computed of its tokens, as a whole, or why nothing is known. */
export async function viewTrained(
  ctx: Pick<Context, "config" | "log">,
  known: {
    run: Run | null;
    row: Rollout;
    training: RolloutTraining;
    trajectory: ProxyTrajectory | null;
    segment: Segment | null;
  },
): Promise<TrainedSummary> {
  const { run, row, training, trajectory, segment } = known;
  // What an earlier life computed of it is of weights that are gone.
  const mayTrain = row.mode === "train" && row.reward !== null && training.state !== "lost";
  const { trained, newestStep } = mayTrain
    ? await findTrained(ctx, { ...row, step: row.step ?? row.askedStep }, segment?.id ?? 0)
    : { trained: null, newestStep: null };
  if (trained && trajectory && segment) return summariseTrained(trajectory, segment, trained);
  return whyUntrained({
    run: run && {
      driver: run.driver,
      status: RunStatus.parse(run.status),
      staleness: stalenessOf(run.spec),
    },
    ...{ rollout: { ...row, step: row.step ?? row.askedStep }, training, segment, newestStep },
  });
}

/** A range of what the update computed of a segment's tokens. NOT_FOUND where there is no such segment. */
export async function getTrained(
  ctx: Pick<Context, "db" | "config" | "log" | "runner">,
  { from, size, ...of }: GetTrained,
): Promise<TrainedPage> {
  const { trajectory, segment } = await getSegment(ctx, of);
  const { trained } = await findTrained(ctx, trajectory, segment.id);
  const total = nodesOf(trajectory, segment).reduce((sum, one) => sum + one.tokenIds.length, 0);
  return pageTrained(trained, { from, size, total });
}

/** Versions that a rollout may be behind the update that takes it. */
function stalenessOf(spec: unknown): number {
  const settled = settledSpec(spec);
  if (settled?.driver !== "embedded" || settled.algorithm.trainer_mode === "sync") return 0;
  return Math.ceil(settled.async.staleness_threshold) + 1;
}
