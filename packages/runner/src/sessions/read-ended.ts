import { join } from "node:path";
import type { EndedSession } from "@liverl/contract/proxy-admin";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { readJson } from "@liverl/durable/atomic-file";
import { summariseTrajectory } from "@liverl/proxy/trajectory/summarise-trajectory";
import { TRAJECTORY_FILE } from "#trials/trial-directory.ts";

/** How the session ended whose file lies in `folder`; null where there is none. */
export async function readEnded(folder: string): Promise<EndedSession | null> {
  const path = join(folder, TRAJECTORY_FILE);
  const trajectory = await readJson(path, ProxyTrajectory);
  if (!trajectory) return null;
  const { reward, termination } = trajectory;
  const { calls, tokensSampled, segments, versionSpan } = summariseTrajectory(trajectory, path);
  return {
    ...{ path, reward, termination, calls, tokensSampled },
    ...{ segments: segments.length, versionSpan },
  };
}
