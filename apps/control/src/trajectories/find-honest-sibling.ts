import type { HonestSibling } from "@liverl/contract/verifier-view";
import type { Rollout } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { countPatchLines, readPatch } from "#trajectories/read-patch.ts";
import { TrialFolder } from "#trajectories/trial-folder.ts";

type Candidate = Pick<
  Rollout,
  "rolloutId" | "index" | "taskId" | "mode" | "status" | "reward" | "integrityKinds"
>;

/** Reads the patch of the one that {@link pickHonestSibling} names. */
export async function findHonestSibling(
  ctx: Pick<Context, "config">,
  { row, siblings, patch }: { row: Rollout; siblings: readonly Rollout[]; patch: string | null },
): Promise<HonestSibling | null> {
  if (row.integrityKinds.length === 0) return null;
  const found = pickHonestSibling(row, siblings);
  if (!found || found.reward === null) return null;
  const other = await readPatch(await TrialFolder.open(ctx.config.dataDir, found.directory));
  return {
    rolloutId: found.rolloutId,
    index: found.index,
    reward: found.reward,
    patchLines: other === null ? null : countPatchLines(other),
    ownPatchLines: patch === null ? null : countPatchLines(patch),
  };
}

/** The same task's rollout of the highest reward without any sign; of equals the one that is nearest in the group. Pure. */
export function pickHonestSibling<T extends Candidate>(
  flagged: Candidate,
  siblings: readonly T[],
): T | null {
  const honest = siblings.filter(
    (one) =>
      one.rolloutId !== flagged.rolloutId &&
      one.taskId === flagged.taskId &&
      one.mode === flagged.mode &&
      one.status === "succeeded" &&
      one.reward !== null &&
      one.integrityKinds.length === 0,
  );
  const distance = (one: T) => Math.abs(one.index - flagged.index);
  const [best] = honest.sort(
    (a, b) => (b.reward ?? 0) - (a.reward ?? 0) || distance(a) - distance(b) || a.index - b.index,
  );
  return best ?? null;
}
