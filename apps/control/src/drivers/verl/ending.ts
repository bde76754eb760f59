import type { RunDiagnosis } from "@liverl/contract/run";
import type { Ending } from "#drivers/embedded/ending.ts";

/**
 * How an attempt ended. The exit code alone proves nothing: verl's fully_async ends with 0 when its rollouts have died.
 * Only the planned steps in its metrics make a success. Pure.
 */
export function endingOfJob({
  code,
  lastStep,
  plannedSteps,
  cause,
  diagnosis = null,
}: {
  code: number | null;
  lastStep: number;
  plannedSteps: number;
  /** What the log says, in words; null where nothing was recognised. */
  cause: string | null;
  diagnosis?: RunDiagnosis | null;
}): Ending {
  if (lastStep >= plannedSteps)
    return { to: "succeeded", reason: `all ${plannedSteps} steps done${aside(code)}` };
  const how = code === null ? "verl was gone" : `verl ended with code ${code}`;
  const why = cause ?? "its log says why";
  const reason = `${how} after ${lastStep} of ${plannedSteps} steps: ${why}`;
  return { to: "failed", reason, diagnosis };
}

const aside = (code: number | null) =>
  code === 0 || code === null ? "" : `; verl ended with code ${code} afterwards`;
