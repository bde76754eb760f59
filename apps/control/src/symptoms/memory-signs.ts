import type { SymptomSign } from "#symptoms/symptom.ts";

/** Memory and GPUs: vLLM's, PyTorch's, CUDA's, NCCL's and the kernel's own words. */
export const MEMORY_SIGNS: readonly SymptomSign[] = [
  {
    id: "kv-cache-none",
    pattern: /No available memory for the cache blocks/,
    cause: "The model's weights leave the engine no memory for a KV cache.",
    fix: "Raise rollout.gpu_memory_utilization or rollout.tensor_parallel.",
    field: "rollout.gpu_memory_utilization",
  },
  {
    id: "kv-cache-window",
    pattern:
      /max seq len \((\d+)\), \(([\d.]+) GiB KV cache is needed, which is larger than the available KV cache memory \(([\d.]+) GiB\)/,
    cause: "One window of $1 tokens needs $2 GiB of KV cache; the engine has $3 GiB.",
    fix: "Raise rollout.gpu_memory_utilization or rollout.tensor_parallel, or shorten the window.",
    field: "rollout.gpu_memory_utilization",
  },
  {
    id: "gpu-taken",
    pattern:
      /Free memory on device .{0,100}?\(([\d.]+)\/([\d.]+) GiB\) on startup is less than desired GPU memory utilization/,
    cause: "Something else holds the GPU: $1 of $2 GiB were free when the engine started.",
    fix: "End what runs there (nvidia-smi lists it), turn on engine.param_offload and engine.optimizer_offload, or lower rollout.gpu_memory_utilization.",
    field: "rollout.gpu_memory_utilization",
  },
  {
    id: "illegal-memory-access",
    pattern: /CUDA error: an illegal memory access was encountered/,
    cause:
      "A kernel read outside its memory: most often the engine's TP does not divide the model's KV heads.",
    fix: "Set rollout.tensor_parallel to a divisor of num_key_value_heads in the model's config.json.",
    field: "rollout.tensor_parallel",
  },
  {
    id: "heads-tensor-parallel",
    pattern:
      /Total number of attention heads \((\d+)\) must be divisible by tensor parallel size \((\d+)\)/,
    cause: "$1 attention heads do not divide by TP $2.",
    fix: "Set rollout.tensor_parallel to a divisor of the heads and KV heads.",
    field: "rollout.tensor_parallel",
  },
  {
    id: "cuda-out-of-memory",
    pattern: /(?:torch\.OutOfMemoryError|CUDA out of memory)/,
    cause: "A GPU ran out of memory.",
    fix: "In an update: lower batch.ppo_max_token_len_per_gpu, fuse the logits (actor_rollout_ref.model.use_fused_kernels=True) or train on more GPUs. When an engine wakes: turn on engine.optimizer_offload, or lower rollout.gpu_memory_utilization.",
    field: "batch.ppo_max_token_len_per_gpu",
  },
  {
    id: "no-gpu",
    pattern: /No CUDA GPUs are available|CUDA error: no CUDA-capable device is detected/,
    cause: "A worker found no GPU.",
    fix: "Check nvidia-smi and the container's GPU runtime on that node, and that CUDA_VISIBLE_DEVICES is not empty.",
  },
  {
    id: "node-out-of-memory",
    pattern: /killed due to the node running low on memory|ray\.exceptions\.OutOfMemoryError/,
    cause: "A node ran out of main memory and Ray ended a worker.",
    fix: "Offloaded weights and Adam live there: use more nodes, turn off engine.optimizer_offload, or lower rollout.agent_workers.",
    field: "engine.optimizer_offload",
  },
  {
    id: "nccl-timeout",
    pattern: /Watchdog caught collective operation timeout|ProcessGroupNCCL.{0,300}timeout/i,
    cause:
      "GPUs waited for one that never came: a rank died, hung, or took longer than nccl_timeout.",
    fix: "Look for the first error of any other rank before this. If there is none, raise actor_rollout_ref.nccl_timeout (seconds).",
  },
  {
    id: "nccl",
    pattern: /nccl(?:UnhandledCudaError|SystemError|RemoteError|InternalError)|NCCL error/i,
    cause: "GPUs could not reach each other.",
    fix: "Name the network in env: NCCL_SOCKET_IFNAME, and NCCL_IB_DISABLE=1 without InfiniBand. NCCL_DEBUG=INFO tells more.",
    field: "env",
  },
  {
    id: "shared-memory",
    pattern:
      /unable to (?:open|mmap|allocate) shared memory|Bus error|\/dev\/shm.{0,300}No space left/i,
    cause: "/dev/shm is too small.",
    fix: "Give the container more (docker --shm-size, an emptyDir of medium Memory on Kubernetes).",
  },
  {
    id: "disk-full",
    pattern: /No space left on device|OSError: \[Errno 28\]/,
    cause: "A disk is full.",
    fix: "Free some, or keep fewer checkpoints: trainer.max_actor_ckpt_to_keep.",
    field: "trainer.max_actor_ckpt_to_keep",
  },
];
