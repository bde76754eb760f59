import type { CauseRule } from "#diagnosis/cause-rule.ts";

/** Ray, Python and files. */
export const CLUSTER_CAUSES: readonly CauseRule[] = [
  {
    id: "ray-gpus",
    pattern: /Total available GPUs ([\d.]+) is less than total desired GPUs ([\d.]+)/,
    cause: "Ray has $1 GPUs, the run wants $2.",
    fix: "Lower layout.nnodes or layout.n_gpus_per_node, or add nodes.",
    field: "layout.nnodes",
  },
  {
    id: "ray-version",
    pattern: /Version mismatch: The cluster was started with/,
    cause: "The job's Ray or Python is another version than the cluster's.",
    fix: "Make target.python the interpreter that the cluster was started with.",
    field: "target.python",
  },
  {
    id: "ray-runtime-env",
    pattern: /Failed to set up runtime environment|RuntimeEnvSetupError/,
    cause: "Ray could not make the job's environment.",
    fix: "Its message below names the step: a package index that is out of reach, or a working directory that is too large.",
  },
  {
    id: "verl-missing",
    pattern: /ModuleNotFoundError: No module named '(verl[\w.]*)'/,
    cause: "The environment has no $1.",
    fix: "Install verl in it, or name a whole checkout in verl.path.",
    field: "verl.path",
  },
  {
    id: "adapter-missing",
    pattern: /ModuleNotFoundError: No module named '(liverl_verl[\w.]*)'/,
    cause: "verl's processes do not find LiveRL's adapter.",
    fix: "The folder of the adapter must be readable on every node, and on PYTHONPATH there: a value of env must not replace it.",
  },
  {
    id: "verl-core-missing",
    pattern:
      /ModuleNotFoundError: No module named '(transfer_queue|cachetools|fastapi|uvicorn|msgspec|zmq)'/,
    cause: "verl is installed without what its trainers need: $1.",
    fix: 'Install "verl[verl-core]" or "verl[vllm]".',
    field: "target.venv",
  },
  {
    id: "checkpoint-world-size",
    pattern: /No such file or directory: '\S{0,300}?model_world_size_(\d+)_rank_\d+\.pt'/,
    cause: "The checkpoint was not written by $1 ranks.",
    fix: "Resume on as many GPUs as wrote it.",
    field: "layout.nnodes",
  },
  {
    id: "cuda-library",
    pattern: /(lib(?:cuda|cudart|nccl|cublas|cudnn)[\w.]{0,60}): cannot open shared object file/,
    cause: "$1 is not installed, or not found.",
    fix: "Use an image with the CUDA that this PyTorch was built for.",
  },
  {
    id: "ray-token",
    exception: /^ray\.exceptions\.AuthenticationError$|^(?:ray|grpc)\./,
    pattern:
      /ray\.exceptions\.AuthenticationError|Unauthenticated|invalid authentication token|Authorization token is missing/i,
    cause: "Ray refused the job's token.",
    fix: "Name the cluster's token in target.token_path.",
    field: "target.token_path",
  },
  {
    id: "ray-away",
    pattern:
      /Could not find any running Ray instance|Failed to connect to GCS|Unable to connect to GCS/i,
    cause: "verl could not reach Ray.",
    fix: "Check that the head node runs and that the address leads to it.",
    field: "target.address",
  },
  {
    id: "placement-pending",
    pattern:
      /placement group .{0,200}(?:not ready|pending|timed? ?out)|No available node types can fulfill resource request/i,
    cause: "Ray waited for resources that the cluster does not have free.",
    fix: "Compare what the run claims (GPUs, and three CPUs a GPU) with ray status; another job may hold them.",
    field: "layout.nnodes",
  },
  {
    id: "rendezvous-timeout",
    pattern:
      /DistStoreError: Timed out after|clients joined|The client socket has timed out after|RendezvousTimeoutError/,
    cause: "Not all ranks came to the start of the process group.",
    fix: "Check that every node runs and reaches the first one (MASTER_ADDR, MASTER_PORT, firewalls).",
    field: "env",
  },
  {
    id: "flash-attn-missing",
    pattern:
      /FlashAttention\d? has been toggled on, but it cannot be used|flash_attn seems to be not installed|No module named 'flash_attn/,
    cause: "The environment has no flash_attn.",
    fix: "Install it where verl runs, or set attn_implementation to sdpa.",
    field: "target.venv",
  },
  {
    id: "binary-mismatch",
    exception: /^ImportError$/,
    pattern: /(?:^|[\s/])([\w.-]{1,120}\.so)[\w.]{0,40}: undefined symbol/,
    cause: "$1 was built for another version of PyTorch or CUDA.",
    fix: "Install it again for the PyTorch of this environment.",
    field: "target.venv",
  },
  {
    id: "version-mismatch",
    exception: /^ImportError$/,
    pattern: /cannot import name '([^']{1,200})' from '([^']{1,200})'/,
    weight: "soft",
    cause:
      "The installed $2 has no $1: its version is not the one that the importing library expects.",
    fix: "Install versions that belong together; verl names them in its setup.py and requirements.",
    field: "target.venv",
  },
  {
    id: "module-missing",
    exception: /^ModuleNotFoundError$/,
    pattern: /No module named '([\w.]+)'/,
    weight: "soft",
    cause: "The environment has no $1.",
    fix: "Install it where verl runs.",
    field: "target.venv",
  },
  {
    id: "file-missing",
    exception: /^FileNotFoundError$/,
    pattern: /(?:\[Errno 2\] No such file or directory: |Unable to find )'?([^'\n]{1,300})'?/,
    weight: "soft",
    cause: "$1 does not exist.",
    fix: "The path must exist on the node that reads it.",
  },
  {
    id: "object-store-full",
    pattern: /ray\.exceptions\.ObjectStoreFullError/,
    cause: "Ray's object store is full.",
    fix: "Give it more (--object-store-memory, /dev/shm), or make a step's batch smaller.",
  },
  {
    id: "ray-start",
    pattern:
      /The current node timed out during startup|Session name \S{1,200} does not match persisted value/,
    cause: "Ray did not start on a node.",
    fix: "End an old Ray there (ray stop --force), and check /tmp/ray and the ports.",
  },
  {
    id: "c-compiler",
    pattern: /Failed to find C compiler|Python\.h: No such file or directory/,
    cause: "The environment has no C compiler or no Python headers, which Triton needs.",
    fix: "Install gcc and python3-dev on every node.",
    field: "target.venv",
  },
];
