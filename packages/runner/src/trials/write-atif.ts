import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { buildAtif } from "@liverl/contract/build-atif";
import { ProxyTrajectory } from "@liverl/contract/trajectory";
import { readJson } from "@liverl/durable/atomic-file";
import { trajectoryOfStep } from "#harbor-files/step-trajectory.ts";
import { writeFresh } from "#harbor-files/write-fresh.ts";
import type { StepRun } from "#trials/harbor-attempt.ts";
import { TRAJECTORY_FILE } from "#trials/trial-directory.ts";

/** What a session that is over left in its trial's folder; null where it is not there. */
export const readTrajectory = (root: string): Promise<ProxyTrajectory | null> =>
  readJson(join(root, TRAJECTORY_FILE), ProxyTrajectory);

/** `agent/trajectory.json` of a trial, or of one of its steps; none where the agent asked no model. */
export async function writeAtif(
  { root, step }: Pick<StepRun, "root" | "step">,
  agent: { name: string; version: string },
  trajectory: ProxyTrajectory | null,
): Promise<void> {
  if (trajectory === null) return;
  const own = step.name === null ? trajectory : trajectoryOfStep(trajectory, step.name);
  const atif = buildAtif(own, agent);
  if (!atif) return;
  await mkdir(join(root, "agent"), { recursive: true });
  // The folder holds what the agent left.
  writeFresh(join(root, "agent", "trajectory.json"), JSON.stringify(atif));
}
