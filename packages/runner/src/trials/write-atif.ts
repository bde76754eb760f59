import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CompletedSession } from "@liverl/contract/proxy-admin";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { readJson } from "@liverl/durable/atomic-file";
import { buildAtif } from "#harbor-files/build-atif.ts";

/** `agent/trajectory.json` of a trial whose session is over; none where the agent asked no model. */
export async function writeAtif(
  root: string,
  completed: CompletedSession,
  agent: { name: string; version: string },
): Promise<void> {
  const trajectory = await readJson(join(root, TRAJECTORY_FILE), ProxyTrajectory);
  const atif = trajectory && buildAtif(trajectory, agent);
  if (!atif) return;
  await mkdir(join(root, "agent"), { recursive: true });
  await writeFile(join(root, "agent", "trajectory.json"), JSON.stringify(atif));
}
