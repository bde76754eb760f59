import type { MemoryPart, VerlPlan } from "@liverl/contract/launch";
import { SEPARATE_ROLLOUT_MODES, type VerlSpec } from "@liverl/contract/verl-launch";
import { windowOf } from "#drivers/verl/build-verl-overrides.ts";
import { type Finding, fail, pass, set, warn } from "#launch/verl-rules/verl-rule.ts";

/** Weights of a new version are gathered beside the old ones; a disk this full would stop the first checkpoint. */
const DISK_MARGIN = 1.2;

const gb = (mb: number) => `${mb < 10_000 ? (mb / 1000).toFixed(1) : Math.round(mb / 1000)} GB`;
const sum = (parts: readonly MemoryPart[]) => parts.reduce((total, { mb }) => total + mb, 0);
const of = (parts: readonly MemoryPart[], ...labels: string[]) =>
  sum(parts.filter(({ label }) => labels.includes(label)));

/** Judges the plan's estimates: what fits a GPU, and the disk. */
export function judgeMemory(
  spec: VerlSpec,
  plan: VerlPlan,
  freeDiskMb: number | null,
): { id: string; finding: Finding }[] {
  const findings = [
    { id: "memory-train", finding: judgeTraining(spec, plan) },
    { id: "memory-rollout", finding: judgeCache(spec, plan) },
    { id: "memory-shared", finding: judgeShared(spec, plan) },
    { id: "disk", finding: judgeDisk(spec, plan, freeDiskMb) },
  ];
  return findings.flatMap(({ id, finding }) => (finding ? [{ id, finding }] : []));
}

function judgeTraining({ engine, batch }: VerlSpec, { memory }: VerlPlan): Finding | null {
  if (memory?.gpuMb == null) return null;
  const need = sum(memory.trainer);
  const states = of(memory.trainer, "weights", "gradients", "Adam");
  const field = engine.name === "megatron" ? "engine.tensor_parallel" : "engine.fsdp_size";
  if (states > memory.gpuMb)
    return fail(
      "The model does not fit the trainer's GPUs",
      `Weights, gradients and Adam take about ${gb(states)} of a GPU's ${gb(memory.gpuMb)}. More GPUs, or a larger group that shares a copy.`,
      { field },
    );
  if (need <= memory.gpuMb)
    return pass("Trainer's memory", `About ${gb(need)} of ${gb(memory.gpuMb)} a GPU.`, { field });
  return warn(
    "An update may not fit the trainer's GPUs",
    `About ${gb(need)} of ${gb(memory.gpuMb)}: ${gb(need - states)} are activations and logits of one pass.`,
    of(memory.trainer, "logits") > 0
      ? {
          fix: set("overrides.actor_rollout_ref.model.use_fused_kernels", true, "Fuse the logits"),
        }
      : {
          field: batch.use_dynamic_bsz
            ? "batch.ppo_max_token_len_per_gpu"
            : "batch.ppo_micro_batch_size_per_gpu",
        },
  );
}

function judgeCache(spec: VerlSpec, { memory }: VerlPlan): Finding | null {
  if (memory?.gpuMb == null) return null;
  const { rollout } = spec;
  const window = windowOf(spec);
  const oneMb = (window * memory.kvBytesPerToken) / rollout.tensor_parallel / 1e6;
  const cacheMb = of(memory.rollout, "KV cache");
  if (cacheMb >= oneMb)
    return pass(
      "KV cache",
      `About ${gb(cacheMb)} a GPU: ${Math.floor(cacheMb / oneMb)} full windows of ${window} tokens.`,
      { field: "rollout.gpu_memory_utilization" },
    );
  const weights = of(memory.rollout, "weights");
  const share = Math.ceil(((weights + oneMb) / memory.gpuMb) * 100) / 100 + 0.05;
  return fail(
    "Not even one window fits the KV cache",
    `${gb(oneMb)} for ${window} tokens; ${gb(cacheMb)} are left of ${Math.round(rollout.gpu_memory_utilization * 100)} % of a GPU beside ${gb(weights)} of weights.`,
    share <= 0.95
      ? { fix: set("rollout.gpu_memory_utilization", Math.round(share * 100) / 100) }
      : { field: "rollout.tensor_parallel" },
  );
}

function judgeShared({ algorithm, engine }: VerlSpec, { memory }: VerlPlan): Finding | null {
  if (memory?.gpuMb == null || SEPARATE_ROLLOUT_MODES.includes(algorithm.trainer_mode)) return null;
  const need = sum(memory.rollout);
  if (need <= memory.gpuMb) return null;
  const first = engine.optimizer_offload ? "engine.param_offload" : "engine.optimizer_offload";
  return warn(
    "Engine and trainer do not fit a GPU together",
    `While engines sample, about ${gb(of(memory.rollout, "trainer"))} of the trainer stay: ${gb(need)} of ${gb(memory.gpuMb)}.`,
    { fix: set(first, true, "Put it away meanwhile") },
  );
}

function judgeDisk({ driver }: VerlSpec, plan: VerlPlan, freeMb: number | null): Finding | null {
  const { count, sizeMb } = plan.checkpoints;
  if (freeMb === null || sizeMb === null || driver !== "local-verl") return null;
  const need = count * sizeMb * DISK_MARGIN;
  if (need <= freeMb)
    return pass("Disk", `${count} checkpoints of ${gb(sizeMb)}, ${gb(freeMb)} are free.`);
  const fits = Math.floor(freeMb / (sizeMb * DISK_MARGIN));
  return fail(
    "The disk is too full",
    `${count} checkpoints of ${gb(sizeMb)} want ${gb(need)}, ${gb(freeMb)} are free.`,
    fits >= 1
      ? { fix: set("trainer.max_actor_ckpt_to_keep", fits, `Keep ${fits}`) }
      : { field: "trainer.save_freq" },
  );
}
