import { join } from "node:path";
import type { RolloutMode } from "@liverl/contract/rollout";

/** What the proxy writes there. */
export const TRAJECTORY_FILE = "proxy_trajectory.json";

/** Folder of a trial, relative to the data directory. */
export function trialDirectory(place: {
  project: string;
  runId: string;
  mode: RolloutMode;
  step: number | null;
  sessionId: string;
}): string {
  const step = `${place.mode === "eval" ? "eval" : "step"}_${place.step ?? 0}`;
  return join("harbor_trials", place.project, place.runId, step, place.sessionId);
}

/** Folder of an outside agent's session, relative to the data directory: under its run, or apart when it named none. */
export function outsideDirectory(place: {
  project: string;
  runId: string;
  isOfRun: boolean;
  sessionId: string;
}): string {
  return place.isOfRun
    ? join("harbor_trials", place.project, place.runId, "sessions", place.sessionId)
    : join("sessions", place.sessionId);
}
