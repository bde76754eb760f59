import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import type { FlatSegment } from "@liverl/contract/rollout";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { readJson } from "@liverl/durable/atomic-file";
import { flattenSegment } from "@liverl/proxy/trajectory/flatten";
import type { RunnerContext } from "#context.ts";
import { type AtifTrajectory, buildAtif } from "#harbor-files/build-atif.ts";
import { sessionFolder } from "#sessions/session-folder.ts";
import { TRAJECTORY_FILE } from "#trials/trial-directory.ts";

/** The trajectory of a session that is over. NOT_FOUND while it is open, and where its file was deleted. */
async function readEnded(ctx: RunnerContext, sessionId: string): Promise<ProxyTrajectory> {
  const folder = sessionFolder(ctx, sessionId);
  const trajectory = folder && (await readJson(join(folder, TRAJECTORY_FILE), ProxyTrajectory));
  if (trajectory) return trajectory;
  throw new AppError("NOT_FOUND", {
    userMessage: `There is no trajectory of session ${sessionId}: it is written when the session ends, and goes with its trial's folder.`,
  });
}

/** Every segment as the trainer gets it. */
export async function flattenSession(
  ctx: RunnerContext,
  sessionId: string,
): Promise<{ segments: FlatSegment[] }> {
  const trajectory = await readEnded(ctx, sessionId);
  return { segments: trajectory.segments.map(({ id }) => flattenSegment(trajectory, id)) };
}

/** The session in Harbor's format; null where its agent asked no model. */
export async function atifOfSession(
  ctx: RunnerContext,
  sessionId: string,
  agent: string,
): Promise<{ atif: AtifTrajectory | null }> {
  const trajectory = await readEnded(ctx, sessionId);
  return { atif: buildAtif(trajectory, { name: agent, version: "unknown" }) };
}
