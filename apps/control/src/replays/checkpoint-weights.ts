import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { isMissing, readJson } from "@liverl/durable/atomic-file";
import { z } from "zod";
import { findCheckpoints } from "#checkpoints/find-checkpoints.ts";
import type { Context } from "#context.ts";
import { getRunRow } from "#runs/get-run-row.ts";

const TrainerState = z.looseObject({
  progress: z.looseObject({ step: z.number().int(), weightVersion: z.number().int().nullish() }),
  weightsSha256: z.string(),
});
const ModelConfig = z.looseObject({ max_position_embeddings: z.number().int().positive() });

/** A checkpoint of an embedded run that an engine here can load. */
interface CheckpointWeights {
  folder: string;
  /** The version under which its run knew them. */
  version: number;
  weightsSha256: string;
  /** Tokens, prompt included. */
  maxModelLen: number;
}

/** Throws NOT_FOUND or CONFLICT, with what to do, where no engine here can load it. */
export async function openCheckpointWeights(
  ctx: Pick<Context, "db" | "config">,
  { runId, step }: { runId: string; step: number },
): Promise<CheckpointWeights> {
  const run = await getRunRow(ctx, runId);
  if (run.driver !== "embedded")
    throw new AppError("CONFLICT", {
      userMessage: `LiveRL starts no engine for checkpoints of ${run.driver}: serve this one with vLLM or sglang, and give the engine's address.`,
    });
  const found = (await findCheckpoints(ctx.config.dataDir, runId)).find((one) => one.step === step);
  if (!found?.complete)
    throw new AppError("NOT_FOUND", {
      userMessage: found
        ? `The checkpoint of step ${step} of ${runId} is not complete: choose another one.`
        : `${runId} has no checkpoint of step ${step} on disk: choose another one.`,
    });
  const state = await readJson(join(found.path, "trainer_state.json"), TrainerState);
  const config = await readJson(join(found.path, "config.json"), ModelConfig);
  if (!state || !config)
    throw new AppError("CONFLICT", {
      userMessage: `${found.path} lacks files of the embedded trainer: choose another checkpoint.`,
    });
  return {
    folder: found.path,
    version: state.progress.weightVersion ?? state.progress.step,
    weightsSha256: state.weightsSha256,
    maxModelLen: config.max_position_embeddings,
  };
}

/** SHA-256 of a model folder's `tokenizer.json`, as trajectories name it; null where there is none. */
export async function tokenizerSha256(folder: string): Promise<string | null> {
  try {
    const text = await readFile(join(folder, "tokenizer.json"), "utf8");
    return createHash("sha256").update(text).digest("hex");
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
