import { statfs } from "node:fs/promises";
import { AppError } from "@liverl/contract/app-error";
import { LaunchSpec } from "@liverl/contract/launch";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import type { Run } from "@liverl/prisma/client";
import { findShards, type Shards } from "#checkpoints/merge/find-shards.ts";

/** Left free beside the model: a full disk stops the run that trains. */
const SPARE_BYTES = 256e6;

/** The spec of a run of verl; a string says why there is nothing to merge. */
export function mergeableSpec(run: Pick<Run, "driver" | "spec">): VerlSpec | string {
  const spec = LaunchSpec.safeParse(run.spec);
  if (!spec.success) return "An attached run's checkpoints are not known here.";
  return spec.data.driver === "embedded"
    ? "An embedded checkpoint is whole as it is: its weights are one safetensors file."
    : spec.data;
}

/** What a merge reads. Throws CONFLICT in words that say what is missing or what to free. */
export async function needShards(checkpoint: string): Promise<Shards> {
  const shards = await findShards(checkpoint);
  if (typeof shards === "string") throw new AppError("CONFLICT", { userMessage: shards });
  const { bavail, bsize } = await statfs(checkpoint);
  const need = shards.bytes + SPARE_BYTES;
  if (bavail * bsize < need)
    throw new AppError("CONFLICT", {
      userMessage: `A merge may write ${gigabytes(shards.bytes)}, and ${gigabytes(bavail * bsize)} are free on the checkpoint's disk: free ${gigabytes(need - bavail * bsize)} and merge again.`,
    });
  return shards;
}

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(bytes < 1e9 ? 2 : 1)} GB`;
