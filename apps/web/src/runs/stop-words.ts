import type { RunDetail } from "@liverl/contract/run";

/** How a run that was told to stop will end; null while nobody did. A stop can not be taken back, only be made quicker. */
export function stopWords({
  status,
  step,
  can,
}: Pick<RunDetail, "status" | "step"> & { can: Pick<RunDetail["can"], "kill"> }): string | null {
  if (status !== "stopping") return null;
  // What stops at once can not be killed once more.
  if (can.kill !== true) return "Stopping now";
  return step === 0 ? "Stopping" : `Stopping after step ${step + 1}`;
}
