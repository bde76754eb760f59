import type { RunDetail } from "@liverl/contract/run";

/** How a run that was told to stop will end; null while nobody did. A stop can not be taken back, only be made quicker. */
export function stopWords({
  status,
  can,
}: Pick<RunDetail, "status"> & { can: Pick<RunDetail["can"], "kill"> }): string | null {
  if (status !== "stopping") return null;
  // What stops at once can not be killed once more.
  return can.kill === true ? "Stopping after this step" : "Stopping now";
}
