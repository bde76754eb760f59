import { ACTIVE_MERGES, type CheckpointMerge, type CheckpointRow } from "@liverl/contract/views";
import type { Run } from "@liverl/prisma/client";
import type { FoundCheckpoint } from "#checkpoints/find-checkpoints.ts";
import { mergeableSpec } from "#checkpoints/merge/judge-merge.ts";

const GONE = "Its files are gone.";
const INCOMPLETE = "Files are missing: it is not complete.";

/** What a person may do with a checkpoint, and why not. `shards`: what a merge would lack, null for nothing. Pure. */
export function checkpointActs({
  run,
  found,
  hf,
  merge,
  shards,
}: {
  run: Pick<Run, "driver" | "spec">;
  found: FoundCheckpoint | undefined;
  hf: CheckpointRow["hf"];
  merge: CheckpointMerge | null;
  shards: string | null;
}): CheckpointRow["can"] {
  const spec = mergeableSpec(run);
  if (found === undefined)
    return { merge: GONE, download: GONE, forkResume: GONE, forkWeights: GONE };
  const isMerging = merge !== null && (ACTIVE_MERGES as readonly string[]).includes(merge.status);
  const isVerl = typeof spec !== "string";
  const whole = found.complete || INCOMPLETE;
  const needsHf = hf !== null || "Merge it into Hugging Face form first.";
  return {
    merge: !isVerl
      ? spec
      : hf !== null
        ? "It is there in Hugging Face form."
        : isMerging
          ? "It is being merged."
          : (shards ?? true),
    download: isVerl ? needsHf : whole,
    forkResume: run.spec === null ? "LiveRL did not launch this run." : whole,
    forkWeights: isVerl ? needsHf : "An embedded run goes on with its optimizer.",
  };
}
