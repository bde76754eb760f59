import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { hash32 } from "@liverl/contract/random";
import { isMissing, writeFileAtomic } from "@liverl/durable/atomic-file";
import { ChatEncoder } from "#chat/chat-encoder.ts";
import { Learner } from "#learner/learner.ts";
import { WARM_UP, warmUp } from "#learner/warm-up.ts";
import { initialParameters, type Parameters } from "#model/parameters.ts";
import type { ModelFolder } from "#model/read-model-folder.ts";
import { decodeSafetensors } from "#safetensors/decode-safetensors.ts";
import { encodeSafetensors } from "#safetensors/encode-safetensors.ts";
import { selectParameters } from "#safetensors/read-parameters.ts";

export interface WarmStart {
  parameters: Parameters;
  seconds: number;
  cached: boolean;
}

interface WarmStartSettings {
  /** Folder of all warm-ups; each has one of its own, named by its digest. */
  cacheDir: string;
  seed: number;
  steps: number;
  threads: number;
  onStep?: (step: number, loss: number) => Promise<void>;
}

/** Digest of everything that the result of a warm-up depends on. */
export function warmUpDigest(model: ModelFolder, seed: number, steps: number): string {
  const parts = [model.config, model.tokenizerText, model.chatTemplate, WARM_UP, seed, steps];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

/** The policy that a run starts from: from the cache, else trained now and put there. */
export async function warmStart(
  model: ModelFolder,
  { cacheDir, seed, steps, threads, onStep }: WarmStartSettings,
): Promise<WarmStart> {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  const folder = join(cacheDir, warmUpDigest(model, seed, steps));
  const path = join(folder, "model.safetensors");
  try {
    const parameters = selectParameters(decodeSafetensors(await readFile(path)), model.config);
    return { parameters, seconds: seconds(), cached: true };
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const parameters = initialParameters(model.config, hash32(`parameters ${seed}`));
  const learner = await Learner.open(model.config, parameters, threads);
  await warmUp(learner, new ChatEncoder(model), { seed, steps, onStep });
  await mkdir(folder, { recursive: true });
  await writeFileAtomic(path, encodeSafetensors(parameters));
  return { parameters, seconds: seconds(), cached: false };
}
