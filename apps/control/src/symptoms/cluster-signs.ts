import type { SymptomSign } from "#symptoms/symptom.ts";

/** Ray, Python and files. */
export const CLUSTER_SIGNS: readonly SymptomSign[] = [
  {
    id: "ray-gpus",
    pattern: /Total available GPUs ([\d.]+) is less than total desired GPUs ([\d.]+)/,
    cause: "Ray has $1 GPUs, the run wants $2.",
    fix: "Lower layout.nnodes or layout.n_gpus_per_node, or add nodes.",
    field: "layout.nnodes",
  },
  {
    id: "placement-pending",
    pattern:
      /placement group .{0,200}(?:not ready|pending|timed? ?out)|(?:cannot|can't|can not) be scheduled right now|No available node types can fulfill resource request/i,
    cause: "Ray waits for resources that the cluster does not have free.",
    fix: "Compare what the run claims (GPUs, and three CPUs a GPU) with ray status; another job may hold them.",
    field: "layout.nnodes",
  },
  {
    id: "ray-token",
    pattern:
      /(?:AuthenticationError|Unauthenticated|invalid authentication token|Authorization token is missing)/i,
    cause: "Ray did not take the job's token.",
    fix: "Name the cluster's token in target.token_path.",
    field: "target.token_path",
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
    id: "ray-away",
    pattern:
      /Could not find any running Ray instance|Failed to connect to GCS|Unable to connect to GCS/i,
    cause: "verl could not reach Ray.",
    fix: "Check that the head node runs and that the address leads to it.",
    field: "target.address",
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
    id: "module-missing",
    pattern: /ModuleNotFoundError: No module named '([\w.]+)'/,
    cause: "The environment has no $1.",
    fix: "Install it where verl runs.",
    field: "target.venv",
  },
  {
    id: "model-missing",
    pattern: /(?:^|\s)(\S+) is not a local folder and is not a valid model identifier/,
    cause: "$1 is no folder on the node that looked for it.",
    fix: "Put the model on storage that every node sees, and name it in model.path.",
    field: "model.path",
  },
  {
    id: "checkpoint-world-size",
    pattern: /No such file or directory: '\S*model_world_size_(\d+)_rank_\d+\.pt'/,
    cause: "The checkpoint was not written by $1 ranks.",
    fix: "Resume on as many GPUs as wrote it.",
    field: "layout.nnodes",
  },
  {
    id: "file-missing",
    pattern:
      /FileNotFoundError: (?:\[Errno 2\] No such file or directory: |Unable to find )'?([^'\n]+)'?/,
    cause: "$1 is not there.",
    fix: "The path must exist on the node that reads it.",
  },
  {
    id: "cuda-library",
    pattern: /(lib(?:cuda|cudart|nccl|cublas|cudnn)[\w.]{0,60}): cannot open shared object file/,
    cause: "$1 is not installed, or not found.",
    fix: "Use an image with the CUDA that this PyTorch was built for.",
  },
  {
    id: "actor-died",
    pattern: /The actor died unexpectedly before finishing this task|ActorDiedError/,
    cause: "A process of the job ended without a word: killed for memory, or crashed in a library.",
    fix: "Look at the main memory of its node, and at the last lines of that process in Ray's logs.",
  },
];
