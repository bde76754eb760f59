import type { MemoryPart, VerlPlan } from "@liverl/contract/launch";
import { SEPARATE_ROLLOUT_MODES, type VerlSpec } from "@liverl/contract/verl-launch";
import { windowOf } from "#drivers/verl/build-verl-overrides.ts";
import { readOverride } from "#launch/effective-spec.ts";
import type { ModelShape } from "#launch/verl-evidence/verl-evidence.ts";

const BF16 = 2;
const FP32 = 4;
/** Bytes that one layer works with a token and hidden unit while it is recomputed (arXiv 2205.05198, eq. 1, flash attention). */
const LAYER_WORK = 34;

type Memory = NonNullable<VerlPlan["memory"]>;

/**
 * Peak memory of one GPU, MB.
 *
 * Training by FSDP or VeOmni: weights and gradients in fp32 and Adam's two moments, 16 bytes a parameter over the
 * group that shares a copy (ZeRO-3, arXiv 1910.02054 §5.3; verl keeps model_dtype fp32), and two gathered layers in bf16.
 * Megatron: 2 bytes of weights, 4 of gradients, 12 of optimizer state over the data-parallel ranks (its distributed
 * optimizer). Activations: what gradient checkpointing keeps, 2 bytes a token, layer and hidden unit, and one layer's work
 * (arXiv 2205.05198 §5); logits and their gradient in bf16, which fused kernels never hold. Offload is not counted: verl
 * loads all of it for an update and puts it away after.
 *
 * Sampling: weights in bf16 and the KV cache, 2 x layers x KV heads x head size x 2 bytes a token, over TP. vLLM fills
 * gpu_memory_utilization with cache; where no GPU is known, the cache of one window stands there.
 */
export function estimateVerlMemory(
  spec: VerlSpec,
  shape: ModelShape,
  parameters: number,
  gpuMb: number | null,
): Memory {
  const kvBytesPerToken = 2 * shape.attentionLayers * shape.kvHeads * shape.headDim * BF16;
  return {
    trainer: [...statesOf(spec, shape, parameters), ...activationsOf(spec, shape)],
    rollout: rolloutOf(spec, shape, { parameters, gpuMb, kvBytesPerToken }),
    kvBytesPerToken,
    gpuMb,
  };
}

function statesOf(spec: VerlSpec, shape: ModelShape, parameters: number): MemoryPart[] {
  const { engine, layout } = spec;
  const world = layout.nnodes * layout.n_gpus_per_node;
  if (engine.name === "megatron") {
    const own =
      parameters / (engine.tensor_parallel * engine.pipeline_parallel * engine.expert_parallel);
    const ranks = Math.max(
      1,
      world / (engine.tensor_parallel * engine.pipeline_parallel * engine.context_parallel),
    );
    return [
      part("weights", own * BF16),
      part("gradients", own * FP32),
      part("Adam", (own * 3 * FP32) / ranks),
    ];
  }
  const isOnCpu =
    readOverride(spec, "actor_rollout_ref.actor.fsdp_config.offload_policy")?.value === true;
  const group = engine.fsdp_size > 0 ? Math.min(engine.fsdp_size, world) : world;
  const sharded = isOnCpu ? 0 : parameters / group;
  const layer = (parameters - embeddingsOf(shape)) / shape.layers / engine.expert_parallel;
  return [
    part("weights", sharded * FP32 + 2 * layer * BF16),
    part("gradients", sharded * FP32),
    part("Adam", sharded * 2 * FP32),
  ];
}

function activationsOf(spec: VerlSpec, shape: ModelShape): MemoryPart[] {
  const { batch, engine, lengths } = spec;
  const longest = lengths.max_prompt_length + lengths.max_response_length;
  const rows = (batch.ppo_micro_batch_size_per_gpu ?? 1) * longest;
  const isMegatron = engine.name === "megatron";
  const tokens = batch.use_dynamic_bsz
    ? batch.ppo_max_token_len_per_gpu
    : rows / (isMegatron ? engine.context_parallel : engine.sp_size);
  const split = isMegatron ? engine.tensor_parallel : 1;
  const layers = isMegatron ? shape.layers / engine.pipeline_parallel : shape.layers;
  const isFused = readOverride(spec, "actor_rollout_ref.model.use_fused_kernels")?.value === true;
  return [
    part("activations", (tokens * shape.hidden * (BF16 * layers + LAYER_WORK)) / split),
    part("logits", isFused ? 0 : (tokens * shape.vocab * 2 * BF16) / split),
  ];
}

function rolloutOf(
  spec: VerlSpec,
  shape: ModelShape,
  known: { parameters: number; gpuMb: number | null; kvBytesPerToken: number },
): MemoryPart[] {
  const { rollout, engine } = spec;
  const weights = part("weights", (known.parameters * BF16) / rollout.tensor_parallel);
  const window = (windowOf(spec) * known.kvBytesPerToken) / rollout.tensor_parallel;
  const cache =
    known.gpuMb === null
      ? part("KV cache of one window", window)
      : {
          label: "KV cache",
          mb: Math.max(0, known.gpuMb * rollout.gpu_memory_utilization - weights.mb),
        };
  if (SEPARATE_ROLLOUT_MODES.includes(spec.algorithm.trainer_mode)) return [weights, cache];
  // Where trainer and engines take turns, what is not offloaded stays while the engines sample.
  const stays = statesOf(spec, shape, known.parameters).filter(({ label }) =>
    label === "Adam" ? !engine.optimizer_offload : !engine.param_offload,
  );
  const kept = stays.reduce((sum, { mb }) => sum + mb, 0);
  return [weights, cache, ...(kept > 0 ? [{ label: "trainer", mb: kept }] : [])];
}

function embeddingsOf(shape: ModelShape): number {
  return shape.vocab * shape.hidden * (shape.tiedEmbeddings ? 1 : 2);
}

const part = (label: string, bytes: number): MemoryPart => ({ label, mb: Math.round(bytes / 1e6) });
