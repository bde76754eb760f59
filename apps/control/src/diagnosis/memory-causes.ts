import type { CauseRule } from "#diagnosis/cause-rule.ts";

/** Memory and GPUs: vLLM's, PyTorch's, CUDA's, NCCL's and the kernel's own words. */
export const MEMORY_CAUSES: readonly CauseRule[] = [
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
    id: "kv-cache-window",
    pattern:
      /model's max seq len \((\d+)\) is larger than the maximum number of tokens that can be stored in KV cache \((\d+)\)/,
    cause: "One window has $1 tokens; the engine's KV cache holds $2.",
    fix: "Raise rollout.gpu_memory_utilization or rollout.tensor_parallel, or shorten the window.",
    field: "rollout.gpu_memory_utilization",
  },
  {
    id: "gpu-shared",
    pattern: /Error in memory profiling\. Initial (?:used|free) memory/,
    cause: "Another process gave back or took memory of the GPU while vLLM measured it.",
    fix: "End what else runs on the GPU (nvidia-smi lists it), or start the engines one after another.",
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
    id: "heads-tensor-parallel",
    pattern:
      /Total number of attention heads \((\d+)\) must be divisible by tensor parallel size \((\d+)\)/,
    cause: "$1 attention heads do not divide by TP $2.",
    fix: "Set rollout.tensor_parallel to a divisor of the heads and KV heads.",
    field: "rollout.tensor_parallel",
  },
  {
    id: "cuda-out-of-memory",
    pattern:
      /torch(?:\.cuda)?\.OutOfMemoryError|CUDA out of memory|CUDA error: out of memory|CUBLAS_STATUS_ALLOC_FAILED|Failed to allocate memory for (?:the )?(?:KV|weights)|HIP out of memory|Triton Error \[CUDA\]: out of memory/,
    cause: "A GPU ran out of memory.",
    fix: "In an update: lower batch.ppo_max_token_len_per_gpu, fuse the logits (actor_rollout_ref.model.use_fused_kernels=True) or train on more GPUs. When an engine wakes: turn on engine.optimizer_offload, or lower rollout.gpu_memory_utilization.",
    field: "batch.ppo_max_token_len_per_gpu",
  },
  {
    id: "sglang-memory",
    from: /sglang|^RuntimeError/,
    pattern: /Please try to increase --mem-fraction-static|increase `?mem_fraction_static/,
    cause: "The model's weights leave SGLang no memory for a KV cache.",
    fix: "Raise rollout.gpu_memory_utilization or rollout.tensor_parallel.",
    field: "rollout.gpu_memory_utilization",
  },
  {
    id: "sglang-cache",
    pattern: /(?:Prefill|Decode) out of memory\. Try to lower your batch size/,
    cause: "SGLang's KV cache is too small for its batch.",
    fix: "Raise rollout.gpu_memory_utilization, or lower the rollouts at once.",
    field: "rollout.gpu_memory_utilization",
  },
  {
    id: "device-ordinal",
    pattern: /CUDA error: invalid device ordinal/,
    cause: "A process asked for a GPU that it does not have.",
    fix: "Check CUDA_VISIBLE_DEVICES in env, and that layout.n_gpus_per_node is what the node has.",
    field: "layout.n_gpus_per_node",
  },
  {
    id: "fabric-manager",
    pattern: /system not yet initialized|CUDA_ERROR_SYSTEM_NOT_READY/,
    cause: "NVSwitch is not ready on a node: its fabric manager does not run.",
    fix: "Start nvidia-fabricmanager in the driver's version on that node.",
  },
  {
    id: "gpu-broken",
    pattern:
      /uncorrectable (?:NVLink|ECC) error|CUDA error: (?:an )?(?:unknown error.{0,100}ECC|hardware stack error)|GPU is lost|fallen off the bus/i,
    cause: "A GPU failed.",
    fix: "Take its node out of the cluster (nvidia-smi -q and dmesg name the GPU), and resume from the last checkpoint.",
  },
  {
    id: "illegal-memory-access",
    pattern: /CUDA error: an illegal memory access was encountered|CUDA error: misaligned address/,
    cause:
      "A kernel read outside its memory: most often the engine's TP does not divide the model's KV heads.",
    fix: "Set rollout.tensor_parallel to a divisor of num_key_value_heads in the model's config.json.",
    field: "rollout.tensor_parallel",
  },
  {
    id: "nan-probabilities",
    pattern: /probability tensor contains either `?inf`?, `?nan`? or element < 0/,
    cause: "The policy's probabilities became NaN or infinite.",
    fix: "Look at grad_norm, entropy and KL of the steps before; lower optimisation.lr or clip gradients, and resume from a checkpoint before that.",
  },
  {
    id: "cuda-arch",
    pattern: /no kernel image is available for execution on the device/,
    cause: "PyTorch or an extension was not built for this GPU.",
    fix: "Install a build for its compute capability.",
    field: "target.venv",
  },
  {
    id: "cuda-driver",
    pattern:
      /driver on your system is too old|CUDA driver version is insufficient|Driver\/library version mismatch/,
    cause: "The GPU driver of a node does not fit the CUDA of PyTorch.",
    fix: "Update the driver and restart the node, or install a PyTorch for its CUDA.",
    field: "target.venv",
  },
  {
    id: "no-gpu",
    pattern:
      /No CUDA GPUs are available|CUDA error: no CUDA-capable device is detected|Found no NVIDIA driver on your system/,
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
    id: "shared-memory",
    pattern:
      /unable to (?:open|mmap|allocate|write to) (?:file|shared memory)|killed by signal: Bus error|\/dev\/shm\S{0,100}: No space left|out of shared memory/i,
    cause: "/dev/shm is too small.",
    fix: "Give the container more (docker --shm-size, an emptyDir of medium Memory on Kubernetes).",
  },
  {
    id: "host-memory",
    pattern:
      /DefaultCPUAllocator: (?:can't allocate|not enough) memory|Cannot allocate memory|std::bad_alloc|Unable to allocate [\d.]+ [KMGT]iB for an array/,
    cause: "A node has no main memory left.",
    fix: "Offloaded weights and Adam live there: use more nodes, turn off engine.optimizer_offload, or lower rollout.agent_workers.",
    field: "engine.optimizer_offload",
  },
  {
    id: "nccl-duplicate-gpu",
    pattern: /Duplicate GPU detected/,
    cause: "Two ranks use one GPU.",
    fix: "Give each rank its own: check CUDA_VISIBLE_DEVICES in env, and that no more ranks than GPUs are started on a node.",
    field: "env",
  },
];
