import { join } from "node:path";
import { z } from "zod";
import type { Learner } from "#learner/learner.ts";
import type { ModelConfig } from "#model/architecture.ts";
import type { Parameters } from "#model/parameters.ts";
import { readParameters } from "#safetensors/read-parameters.ts";
import { weightsFileName } from "#weights/current-weights.ts";

/** One call as an audit asks about it: what the engine was given, and what it says that it sampled. */
export const AuditedCall = z.object({
  runDir: z.string(),
  promptIds: z.array(z.number().int()).min(1),
  ids: z.array(z.number().int()),
  logprobs: z.array(z.number()),
  versions: z.array(z.number().int()),
  temperature: z.number().positive(),
});
export type AuditedCall = z.infer<typeof AuditedCall>;

/** Weights by version, the latest few kept: calls come roughly in order of version. */
export class WeightsOfVersions {
  readonly #loaded = new Map<string, Parameters>();
  static readonly #kept = 8;

  constructor(readonly config: ModelConfig) {}

  async get(runDirectory: string, version: number): Promise<Parameters> {
    const path = join(runDirectory, "weights", weightsFileName(version));
    let parameters = this.#loaded.get(path);
    if (!parameters) {
      parameters = await readParameters(path, this.config);
      this.#loaded.set(path, parameters);
      const oldest = this.#loaded.keys().next();
      if (this.#loaded.size > WeightsOfVersions.#kept && !oldest.done)
        this.#loaded.delete(oldest.value);
    }
    return parameters;
  }
}

/**
 * Largest difference between the reported log-probs and those of each token's version over the whole prefix, per call.
 * Infinity where the lists do not even have the same length. Calls of one version and temperature are scored together.
 */
export async function recomputeDifferences(
  calls: readonly AuditedCall[],
  learner: Learner,
  weights: WeightsOfVersions,
): Promise<number[]> {
  const differences = calls.map(({ ids, logprobs, versions }) =>
    ids.length === logprobs.length && ids.length === versions.length ? 0 : Number.POSITIVE_INFINITY,
  );
  const groups = new Map<
    string,
    { runDir: string; version: number; temperature: number; calls: number[] }
  >();
  calls.forEach(({ runDir, versions, temperature }, index) => {
    if (differences[index] !== 0) return;
    for (const version of new Set(versions)) {
      const key = `${version} ${temperature} ${runDir}`;
      const group = groups.get(key) ?? { runDir, version, temperature, calls: [] };
      group.calls.push(index);
      groups.set(key, group);
    }
  });
  for (const group of groups.values()) {
    const parameters = await weights.get(group.runDir, group.version);
    const samples = group.calls.map((index) => {
      const { promptIds, ids, versions } = calls[index];
      const positions = versions.flatMap((version, i) =>
        version === group.version ? [promptIds.length + i - 1] : [],
      );
      return { ids: [...promptIds, ...ids], positions };
    });
    const { logProbabilities } = await learner.score(samples, group.temperature, parameters);
    group.calls.forEach((index, at) => {
      const { promptIds, logprobs } = calls[index];
      samples[at].positions.forEach((position, k) => {
        const reported = logprobs[position + 1 - promptIds.length];
        differences[index] = Math.max(
          differences[index],
          Math.abs(reported - logProbabilities[at][k]),
        );
      });
    });
  }
  return differences;
}
