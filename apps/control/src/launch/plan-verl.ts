import type { VerlPlan } from "@liverl/contract/launch";
import { SEPARATE_ROLLOUT_MODES, type VerlSpec } from "@liverl/contract/verl-launch";
import {
  buildVerlOverrides,
  totalRolloutSteps,
  VERL_MODULES,
} from "#drivers/verl/build-verl-overrides.ts";
import { formatOverride } from "#drivers/verl/format-override.ts";
import { type VerlFiles, verlFiles } from "#drivers/verl/verl-files.ts";
import { firstStepOf } from "#forks/find-origin.ts";
import { estimateVerlMemory } from "#launch/estimate-verl-memory.ts";
import { countParameters } from "#launch/verl-evidence/count-parameters.ts";
import type { VerlEvidence } from "#launch/verl-evidence/verl-evidence.ts";

/** Bytes of a checkpoint a parameter: weights and Adam's moments in fp32; Megatron adds weights in bf16. */
const CHECKPOINT_BYTES = { fsdp: 12, fsdp2: 12, veomni: 12, megatron: 14 } as const;

/** What a spec will do, from its values (overrides in their fields) and what was seen. Pure. */
export function planVerl(
  spec: VerlSpec,
  evidence: VerlEvidence,
  { dataDir }: { dataDir: string },
): VerlPlan {
  const { batch, async, trainer, optim, layout, algorithm } = spec;
  const { save_freq, total_training_steps: end } = trainer;
  const first = firstStepOf(spec);
  const steps = Math.max(0, end - first);
  const fullyAsync = algorithm.trainer_mode === "fully_async" ? sizesOf(spec) : null;
  const prompts = fullyAsync
    ? fullyAsync.requiredSamples * async.trigger_parameter_sync_step
    : batch.train_batch_size;
  const parameters = parametersOf(evidence);
  const shape = evidence.model.state === "found" ? evidence.model.shape : null;
  const gpuMb = evidence.gpus?.count
    ? evidence.gpus.memoryMb
    : (evidence.ray?.resources?.gpuMb ?? null);
  const written =
    save_freq > 0 && steps > 0 ? Math.ceil(end / save_freq) - Math.floor(first / save_freq) : 0;
  const files = verlFiles(dataDir, `${spec.name}-NN`);
  return {
    kind: "verl",
    batchRollouts: prompts * batch.n,
    steps,
    totalRollouts: prompts * batch.n * steps,
    optimizerSteps: steps * updatesOf(spec) * optim.ppo_epochs,
    estimate: null,
    pools: {
      trainer: { nodes: layout.nnodes, gpusPerNode: layout.n_gpus_per_node },
      rollout: SEPARATE_ROLLOUT_MODES.includes(algorithm.trainer_mode)
        ? { nodes: layout.rollout_nnodes, gpusPerNode: layout.rollout_n_gpus_per_node }
        : null,
    },
    fullyAsync,
    parameters,
    memory: shape && parameters ? estimateVerlMemory(spec, shape, parameters.total, gpuMb) : null,
    checkpoints: {
      count: Math.min(written, trainer.max_actor_ckpt_to_keep ?? written),
      sizeMb: parameters
        ? Math.round((parameters.total * CHECKPOINT_BYTES[spec.engine.name]) / 1e6)
        : null,
    },
    processes: [{ name: processName(spec), argv: commandOf(spec, files) }],
    files: [
      files.agentLoops,
      files.metrics(1),
      files.checkpoints,
      files.rolloutDumps,
      files.validationDumps,
      files.console(1),
    ],
  };
}

/** verl's command line, as the first attempt will have it. */
function commandOf(spec: VerlSpec, files: VerlFiles): string[] {
  const overrides = buildVerlOverrides(
    spec,
    {
      agentLoops: files.agentLoops,
      checkpoints: files.checkpoints,
      rolloutDumps: files.rolloutDumps,
      validationDumps: files.validationDumps,
      hydra: files.hydra(1),
      trainFiles: spec.data.train_files,
      valFiles: spec.data.val_files,
    },
    null,
  );
  return [
    "python",
    "-m",
    VERL_MODULES[spec.algorithm.trainer_mode],
    ...overrides.map(([key, value]) => formatOverride(key, value)),
  ];
}

/**
 * fully_async counts in samples, each a prompt with its n rollouts (fully_async_rollouter.py, set_max_required_samples).
 * It makes `int(total_rollout_steps / (required x trigger))` versions, so that many samples are asked for.
 */
function sizesOf({ batch, async, trainer }: VerlSpec): NonNullable<VerlPlan["fullyAsync"]> {
  const requiredSamples = batch.ppo_mini_batch_size * async.require_batches;
  return {
    requiredSamples,
    maxRequiredSamples: Math.floor(
      requiredSamples * (1 + async.staleness_threshold) * async.trigger_parameter_sync_step,
    ),
    totalRolloutSteps: totalRolloutSteps({ async, batch, trainer }),
  };
}

/** Optimizer steps between two weight versions, of one epoch. */
function updatesOf({ batch, async, algorithm }: VerlSpec): number {
  switch (algorithm.trainer_mode) {
    case "fully_async":
      return async.trigger_parameter_sync_step * async.require_batches;
    case "separate_async":
      return async.parameter_sync_step;
    case "sync":
    case "colocate_async":
    case "v0":
    case "one_step_off":
      return Math.max(1, Math.ceil(batch.train_batch_size / batch.ppo_mini_batch_size));
  }
}

function parametersOf({ model }: VerlEvidence): VerlPlan["parameters"] {
  if (model.state !== "found" || model.shape === null) return null;
  const counted = countParameters(model.shape);
  if (!model.hasWeights || model.missingWeights.length > 0)
    return { ...counted, basis: "config.json" };
  const total = Math.round(model.sizeBytes / model.shape.weightBytes);
  return {
    total,
    active: Math.round(counted.active * (total / counted.total)),
    basis: "the weights' size",
  };
}

function processName({ driver }: VerlSpec): string {
  if (driver === "local-verl") return "verl";
  return driver === "ray-job" ? "Ray job" : "RayJob";
}
