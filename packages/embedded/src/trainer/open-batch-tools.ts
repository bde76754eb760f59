import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TrainerPlan } from "@liverl/contract/trainer";
import { Learner } from "#learner/learner.ts";
import { ValueHead } from "#learner/value-head.ts";
import type { ModelConfig } from "#model/architecture.ts";
import { decodeSafetensors } from "#safetensors/decode-safetensors.ts";
import type { PeakFlops } from "#trainer/measure-peak.ts";
import type { BatchTools } from "#trainer/train-batch.ts";
import type { TrainerState } from "#trainer/trainer-state.ts";

/** More threads gain little on a model of this size, and wait by spinning. */
export const THREADS = 1;

/** What updates of `state` need: they change its parameters in place. */
export async function openBatchTools(
  { runId, spec, weightsDir }: Pick<TrainerPlan, "runId" | "spec" | "weightsDir">,
  config: ModelConfig,
  state: TrainerState,
  peak: PeakFlops,
): Promise<BatchTools> {
  const { loss_mode, kl_loss_coef } = spec.algorithm;
  const options = { lossMode: loss_mode, withFeatures: state.critic !== null };
  const { critic } = state;
  return {
    ...{ runId, spec, config, peak },
    learner: await Learner.open(config, state.parameters, THREADS, options),
    valueHead: critic && (await ValueHead.open(critic, config.hidden_size, THREADS)),
    reference:
      kl_loss_coef > 0
        ? decodeSafetensors(await readFile(join(weightsDir, "v0.safetensors")))
        : null,
  };
}
