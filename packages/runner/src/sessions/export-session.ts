import { realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { type AtifTrajectory, buildAtif } from "@liverl/contract/build-atif";
import type { FlatSegment } from "@liverl/contract/rollout";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { readJson } from "@liverl/durable/atomic-file";
import { flattenSegment } from "@liverl/proxy/trajectory/flatten";
import type { RunnerContext } from "#context.ts";
import { sessionFolder } from "#sessions/session-folder.ts";
import { TRAJECTORY_FILE } from "#trials/trial-directory.ts";

/** A session, and the folder of its trial below the data directory, for one that another LiveRL played. */
export interface AskedSession {
  sessionId: string;
  directory: string | null;
}

/** The trajectory of a session that is over. NOT_FOUND while it is open, and where its file was deleted. */
async function readEnded(
  ctx: RunnerContext,
  { sessionId, directory }: AskedSession,
): Promise<ProxyTrajectory> {
  const folder = sessionFolder(ctx, sessionId) ?? (await folderInside(ctx, directory));
  const trajectory = folder && (await readJson(join(folder, TRAJECTORY_FILE), ProxyTrajectory));
  if (trajectory) return trajectory;
  throw new AppError("NOT_FOUND", {
    userMessage: `There is no trajectory of session ${sessionId}: it is written when the session ends, and goes with its trial's folder.`,
  });
}

/** Null for what is not there, and for what lies elsewhere once links are followed. */
async function folderInside(
  { config }: Pick<RunnerContext, "config">,
  directory: string | null,
): Promise<string | null> {
  if (directory === null) return null;
  const root = await realpath(config.dataDir);
  const folder = await realpath(join(root, directory)).catch(() => null);
  return folder?.startsWith(`${root}${sep}`) ? folder : null;
}

/** Every segment as the trainer gets it. */
export async function flattenSession(
  ctx: RunnerContext,
  asked: AskedSession,
): Promise<{ segments: FlatSegment[] }> {
  const trajectory = await readEnded(ctx, asked);
  return { segments: trajectory.segments.map(({ id }) => flattenSegment(trajectory, id)) };
}

/** The session in Harbor's format; null where its agent asked no model. */
export async function atifOfSession(
  ctx: RunnerContext,
  asked: AskedSession,
  agent: string,
): Promise<{ atif: AtifTrajectory | null }> {
  const trajectory = await readEnded(ctx, asked);
  return { atif: buildAtif(trajectory, { name: agent, version: "unknown" }) };
}
