import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { readJson } from "@liverl/durable/atomic-file";
import { buildAtif } from "#harbor-files/build-atif.ts";
import { writeFresh } from "#harbor-files/write-fresh.ts";
import { TRAJECTORY_FILE } from "#trials/trial-directory.ts";

/** `agent/trajectory.json` of a trial whose session is over; none where the agent asked no model. */
export async function writeAtif(
  root: string,
  agent: { name: string; version: string },
): Promise<void> {
  const trajectory = await readJson(join(root, TRAJECTORY_FILE), ProxyTrajectory);
  const atif = trajectory && buildAtif(trajectory, agent);
  if (!atif) return;
  await mkdir(join(root, "agent"), { recursive: true });
  // The folder holds what the agent left.
  writeFresh(join(root, "agent", "trajectory.json"), JSON.stringify(atif));
}
