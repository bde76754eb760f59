import { AppError } from "@liverl/contract/app-error";
import type { ReplayWeights } from "@liverl/contract/replay";
import { placeOfEngine } from "#alerts/webhooks/webhook-guard.ts";
import type { Context } from "#context.ts";
import { openCheckpointWeights, tokenizerSha256 } from "#replays/checkpoint-weights.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { modelFolderOf } from "#trajectories/open-run-tokenizer.ts";

/**
 * Refuses weights to which the recorded ids would mean another text, or that nothing here can load. An engine by its address
 * is taken at its word: nothing in its API tells its tokenizer.
 */
export async function judgeWeights(
  ctx: Pick<Context, "db" | "config">,
  weights: ReplayWeights,
  recordedSha256: string,
): Promise<{ weightsSha256: string | null; maxModelLen: number | null }> {
  if (weights.kind === "engine") {
    await placeOfEngine(new URL(weights.url));
    return { weightsSha256: null, maxModelLen: null };
  }
  if (weights.kind === "checkpoint") {
    const { folder, weightsSha256, maxModelLen } = await openCheckpointWeights(ctx, weights);
    refuseOther(
      await tokenizerSha256(folder),
      recordedSha256,
      `The checkpoint of step ${weights.step} of ${weights.runId}`,
    );
    return { weightsSha256, maxModelLen };
  }
  const run = await getRunRow(ctx, weights.runId);
  if (run.spec === null)
    throw new AppError("CONFLICT", {
      userMessage: `${weights.runId} is only watched: LiveRL does not know its engines. Give an engine's address.`,
    });
  refuseOther(
    await tokenizerSha256(modelFolderOf(ctx.config, run)),
    recordedSha256,
    `The model of ${weights.runId}`,
  );
  return { weightsSha256: null, maxModelLen: null };
}

/** A model that is not on this machine can not be looked at. */
function refuseOther(sha256: string | null, recorded: string, whose: string): void {
  if (sha256 === null || sha256 === recorded) return;
  throw new AppError("CONFLICT", {
    userMessage: `${whose} has another tokenizer than this rollout: the recorded token ids would mean another text. Choose weights with the same tokenizer.`,
  });
}
