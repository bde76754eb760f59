import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import type {
  FlatSegment,
  RolloutResult,
  TrialChange,
  TrialTimings,
} from "@liverl/contract/rollout";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { readJson } from "@liverl/durable/atomic-file";
import { flattenSegment } from "@liverl/proxy/trajectory/flatten";
import type { RunnerContext } from "#context.ts";
import type { Trial } from "#trials/trial.ts";
import { TRAJECTORY_FILE } from "#trials/trial-directory.ts";

const NO_TIME: TrialTimings = {
  queueS: 0,
  setupS: 0,
  agentS: 0,
  generateS: 0,
  toolS: 0,
  verifyS: 0,
};

export function resultOf(change: TrialChange, segments: FlatSegment[]): RolloutResult {
  return {
    rolloutId: change.rolloutId,
    sessionId: change.sessionId,
    attempt: change.attempt,
    status: change.status,
    reward: change.reward,
    termination: change.termination ?? "infra-error",
    error: change.error,
    turns: change.turns,
    segments,
    timings: change.timings ?? NO_TIME,
    flags: change.flags,
  };
}

/** The answer of a finished rollout: from memory while it is fresh, else its segments are read from its folder. */
export async function loadResult(
  ctx: Pick<RunnerContext, "config">,
  trial: Trial,
): Promise<RolloutResult> {
  const { change } = trial;
  if (trial.result) return trial.result;
  if (change.status !== "succeeded" || change.directory === null) return resultOf(change, []);
  const path = join(ctx.config.dataDir, change.directory, TRAJECTORY_FILE);
  const trajectory = await readJson(path, ProxyTrajectory);
  if (!trajectory) {
    throw new AppError("NOT_FOUND", {
      userMessage: `The trajectory of rollout ${change.rolloutId} was deleted: ${path}.`,
    });
  }
  return resultOf(
    change,
    trajectory.segments.map((segment) => flattenSegment(trajectory, segment.id)),
  );
}
