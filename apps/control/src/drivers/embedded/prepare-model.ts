import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { AppError } from "@liverl/contract/app-error";
import { readJson } from "@liverl/durable/atomic-file";
import { z } from "zod";
import type { Config } from "#config.ts";
import type { RunFiles } from "#drivers/embedded/run-files.ts";
import { childEnv } from "#env.ts";

const ModelConfig = z.looseObject({ max_position_embeddings: z.number().int().positive() });
const MODEL_TIMEOUT_MS = 120_000;

/** Writes the run's model folder (tokenizer, template, config) if it is not there. Answers with the longest context, in tokens. */
export async function prepareModel(
  config: Pick<Config, "dist">,
  files: RunFiles,
): Promise<{ maxModelLen: number }> {
  const configPath = join(files.model, "config.json");
  if (
    !(await access(configPath).then(
      () => true,
      () => false,
    ))
  ) {
    const program = join(config.dist, "model.mjs");
    await promisify(execFile)(process.execPath, [program, "--out", files.model], {
      env: childEnv(),
      timeout: MODEL_TIMEOUT_MS,
    }).catch((error: unknown) => {
      throw new AppError("INTERNAL", {
        userMessage: `The model folder could not be written: ${reasonOf(error)}.`,
        cause: error,
      });
    });
  }
  const model = await readJson(configPath, ModelConfig);
  if (!model) throw new AppError("INTERNAL", { userMessage: `${configPath} is missing.` });
  return { maxModelLen: model.max_position_embeddings };
}

/** What the program said went wrong: the message of its own error, not the command line and stack around it. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /^\w*Error: (.+)$/m.exec(text)?.[1] ?? text.split("\n", 1)[0] ?? "";
}
