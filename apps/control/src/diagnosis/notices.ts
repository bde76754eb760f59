import type { Notice } from "#diagnosis/cause-rule.ts";

const HOST_MEMORY_FIX =
  "Offloaded weights and Adam live in main memory: give the job more, use more nodes, turn off engine.optimizer_offload, or lower rollout.agent_workers.";

/** Lines of the system around the trainer. Each pattern begins where the line begins, so that a quotation does not match. */
export const NOTICES: readonly Notice[] = [
  {
    id: "slurm-time-limit",
    pattern:
      /^slurmstepd: error: \*{3} (?:JOB|STEP) \S+ (?:ON \S+ )?CANCELLED AT \S+ DUE TO TIME LIMIT/,
    weight: "hard",
    cause: "Slurm ended the job at its time limit.",
    fix: "Resume from the last checkpoint with a longer --time, or save more often (trainer.save_freq).",
  },
  {
    id: "slurm-preempted",
    pattern:
      /^slurmstepd: error: \*{3} (?:JOB|STEP) \S+ (?:ON \S+ )?CANCELLED AT \S+ DUE TO PREEMPTION/,
    weight: "hard",
    cause: "Slurm took the nodes for another job.",
    fix: "Resume from the last checkpoint; ask for a partition or QOS that is not preempted.",
  },
  {
    id: "slurm-node-fail",
    pattern:
      /^slurmstepd: error: \*{3} (?:JOB|STEP) \S+ (?:ON \S+ )?CANCELLED AT \S+ DUE TO NODE FAIL|^srun: error: Node failure on/,
    weight: "hard",
    cause: "A node of the Slurm job failed.",
    fix: "Resume from the last checkpoint without that node (--exclude).",
  },
  {
    id: "slurm-cancelled",
    pattern: /^slurmstepd: error: \*{3} (?:JOB|STEP) \S+ (?:ON \S+ )?CANCELLED AT \S+ \*{3}/,
    weight: "hard",
    cause: "The Slurm job was cancelled (scancel).",
    fix: "Resume from the last checkpoint.",
  },
  {
    id: "slurm-out-of-memory",
    pattern:
      /^slurmstepd: error: Detected \d+ oom[_-]kill event|^slurmstepd: error: .{0,120}(?:OOM Killed|out-of-memory handler)|^srun: error: \S+ tasks? \S+ Out Of Memory/,
    weight: "hard",
    cause: "The job took more main memory than Slurm gave it, and a process was killed.",
    fix: HOST_MEMORY_FIX,
    field: "engine.optimizer_offload",
  },
  {
    id: "host-oom-killed",
    pattern:
      /^(?:\w{3} +\d+ [\d:]+ \S+ kernel: )?(?:\[ *\d+\.\d+\] )?(?:Memory cgroup out of memory|Out of memory): Kill(?:ed)? process \d+/,
    weight: "hard",
    cause: "A node's main memory ran out and the kernel killed a process.",
    fix: HOST_MEMORY_FIX,
    field: "engine.optimizer_offload",
  },
  {
    id: "node-out-of-memory",
    pattern:
      /^(?:\[[^\]]{0,80}\] )?(?:\(raylet\) )?(?:\w+\.cc:\d+: )?\d+ Workers? \(tasks \/ actors\) killed due to memory pressure/,
    weight: "hard",
    cause: "A node ran out of main memory and Ray ended a worker.",
    fix: HOST_MEMORY_FIX,
    field: "engine.optimizer_offload",
  },
  {
    id: "gpu-broken",
    pattern:
      /^(?:\w{3} +\d+ [\d:]+ \S+ kernel: )?(?:\[ *\d+\.\d+\] )?NVRM: Xid \([^)]*\): (?:46|48|63|64|74|79|92|94|95|119|120|140)\b/,
    weight: "hard",
    cause: "A GPU failed: the driver reported an Xid.",
    fix: "Take its node out of the cluster (dmesg names the GPU), and resume from the last checkpoint.",
  },
  {
    id: "disk-full",
    pattern: /^OutOfDiskError: |^(?:\[[^\]]{0,80}\] )?\S+ is over 9[5-9]% full, available space: 0/,
    weight: "hard",
    cause: "A disk is full.",
    fix: "Free some: Ray spills objects to its temporary folder (/tmp/ray), checkpoints go to trainer.default_local_dir.",
  },
  {
    id: "nan-probabilities",
    pattern:
      /^\S+\.(?:cu|cuh|cpp):\d+: .{0,120}Assertion `probability tensor contains either `?inf`?, `?nan`? or element < 0/,
    weight: "hard",
    cause: "The policy's probabilities became NaN or infinite.",
    fix: "Look at grad_norm, entropy and KL of the steps before; lower optimisation.lr or clip gradients, and resume from a checkpoint before that.",
  },
  {
    id: "device-assert",
    pattern: /^\S+\.(?:cu|cuh|cpp):\d+: .{0,160}Assertion `([^`]{1,100})` failed/,
    weight: "hard",
    cause:
      "A GPU kernel's assertion failed: $1. An index is outside of its tensor, most often a token id of another tokenizer.",
    fix: "Check that model and tokenizer belong together; CUDA_LAUNCH_BLOCKING=1 in env names the operation.",
    field: "model.path",
  },
  {
    id: "segfault",
    pattern:
      /^\*{3} SIGSEGV received|^Fatal Python error: Segmentation fault|^!{7} Segfault encountered/,
    weight: "hard",
    cause: "A process crashed in native code (segmentation fault).",
    fix: "The stack below names the library; versions of CUDA, NCCL, PyTorch or flash_attn that do not belong together are the usual reason.",
    field: "target.venv",
  },
  {
    id: "shared-memory",
    pattern: /^Fatal Python error: Bus error|^\*{3} SIGBUS received/,
    weight: "hard",
    cause: "/dev/shm is too small.",
    fix: "Give the container more (docker --shm-size, an emptyDir of medium Memory on Kubernetes).",
  },
  {
    id: "ray-node-lost",
    pattern:
      /^(?:\(raylet\) )?The node with node id: \S+ and address: (\S+) .{0,120}has been marked dead/,
    weight: "hard",
    cause: "Ray lost the node $1.",
    fix: "Look at that node: a crash, a network loss, or main memory that ran out. Resume from the last checkpoint.",
  },
  {
    id: "pod-out-of-memory",
    pattern:
      /^(?:State|Reason|Last State): +(?:Terminated: )?OOMKilled|^(?:pod\/|container "|Warning +OOM).{0,200}OOMKill/,
    weight: "hard",
    cause: "A pod took more memory than its limit and was killed.",
    fix: "Raise the memory of the pod: target.worker_memory_gb, target.head_memory_gb.",
    field: "target.worker_memory_gb",
  },
  {
    id: "pod-evicted",
    pattern:
      /^Warning +(?:Evicted|Preempted) +.{0,300}(?:low on resource: (\S+?)\.|Preempted by|evict)/,
    weight: "hard",
    cause: "Kubernetes evicted a pod of the job.",
    fix: "Give the pod requests that cover what it uses (memory, ephemeral-storage) and a priority, and resume.",
  },
  {
    id: "image-pull",
    pattern:
      /^Warning +Failed +.{0,300}(?:Failed to pull image "([^"]+)"|ErrImagePull|ImagePullBackOff)/,
    weight: "soft",
    cause: "Kubernetes cannot pull an image: $1.",
    fix: "Check its name and tag, and the pull secret of the namespace.",
    field: "target.image",
  },
  {
    id: "pod-config",
    pattern:
      /^Warning +(?:Failed|FailedMount) +.{0,80}(?:CreateContainerConfigError|(?:secret|configmap) "[^"]{0,200}" not found|MountVolume\.SetUp failed for volume "[^"]{0,200}")(.{0,120})/,
    weight: "soft",
    cause: "Kubernetes cannot start a pod: a secret, a config map or a volume is missing$1.",
    fix: "Create what it names in the namespace of the job.",
  },
  {
    id: "pod-unschedulable",
    pattern: /^Warning +FailedScheduling +.{0,100}default-scheduler +(.{0,160})/,
    weight: "soft",
    cause: "Kubernetes has no place for a pod: $1.",
    fix: "Free GPUs or memory, add nodes, or lower layout.nnodes.",
    field: "layout.nnodes",
  },
  {
    id: "streaming-exception",
    pattern: /^\[FullyAsyncRollouter\] Streaming process exception: (.{0,200})/,
    weight: "always",
    cause:
      "One rollout raised an error and fully_async ended all of them; verl then exits with 0: $1.",
    fix: "LiveRL's agent loop answers with a stand-in instead: check that no override puts another loop in its place.",
  },
  {
    id: "nccl-timeout",
    pattern:
      /^\[[EF]\d{3,4} [\d:.]+ ProcessGroupNCCL\.cpp:\d+\] .{0,120}(?:Watchdog caught collective operation timeout|watchdog got stuck)/,
    weight: "consequence",
    cause:
      "GPUs waited for one that never came: a rank died, hung, or took longer than nccl_timeout.",
    fix: "No earlier error of another rank is in this log: look at the logs of the other nodes. If a step is just slow, raise actor_rollout_ref.nccl_timeout (seconds).",
  },
  {
    id: "nccl",
    pattern: /^\S+:\d+:\d+ \[\d+\] .{0,80}NCCL WARN (.{0,120})/,
    weight: "consequence",
    cause: "GPUs could not reach each other: $1.",
    fix: "Name the network in env: NCCL_SOCKET_IFNAME, and NCCL_IB_DISABLE=1 without InfiniBand. NCCL_DEBUG=INFO tells more.",
    field: "env",
  },
  {
    id: "killed",
    pattern:
      /^E\d{4} .{0,100}failed \(exitcode: -9\)|^Exit code: -9\b|^traceback : Signal 9 \(SIGKILL\)|^\S+: line \d+: +\d+ Killed /,
    weight: "consequence",
    cause:
      "A process was killed (SIGKILL), and nothing in the log says by whom: most often for main memory.",
    fix: "Look at dmesg of its node for the OOM killer; use more nodes, or turn off engine.optimizer_offload.",
    field: "engine.optimizer_offload",
  },
  {
    id: "engine-died",
    pattern: /^Engine core proc \S+ died unexpectedly/,
    weight: "consequence",
    cause: "The engine's process ended without a word: killed for memory, or crashed in a library.",
    fix: "Look at main memory and dmesg of its node, and at the engine's last lines.",
  },
  {
    id: "actor-died",
    pattern:
      /^(?:\(raylet\) )?A worker died or was killed while executing a task by an unexpected system error/,
    weight: "consequence",
    cause: "A process of the job ended without a word: killed for memory, or crashed in a library.",
    fix: "Look at the main memory of its node, and at the last lines of that process in Ray's logs.",
  },
];

/** Errors that another one led to. They explain the end only where the log has nothing before them. */
export const CONSEQUENCES: readonly { pattern: RegExp; as: string | null }[] = [
  {
    pattern: /^ray\.exceptions\.(?:ActorDied|ActorUnavailable|WorkerCrashed|RayActor)Error/,
    as: "actor-died",
  },
  {
    pattern:
      /^ray\.exceptions\.(?:NodeDied|ObjectLost|OwnerDied|ReferenceCounting|ObjectFetchTimedOut)\w*/,
    as: "actor-died",
  },
  { pattern: /^ray\.exceptions\.(?:GetTimeout|TaskCancelled)\w*/, as: null },
  { pattern: /EngineDeadError|AsyncEngineDeadError|MQEngineDeadError/, as: "engine-died" },
  {
    pattern:
      /Engine core initialization failed|Engine process failed to start|WorkerProc initialization failed|Received sigquit from a child proces|Placement group name .{0,80}already exists/,
    as: null,
  },
  {
    pattern: /Watchdog caught collective operation timeout|Timeout at NCCL work/,
    as: "nccl-timeout",
  },
  {
    pattern:
      /DistBackendError: (?!.{0,300}invalid usage)|nccl(?:Remote|System|Internal|UnhandledCuda)\w{0,20}Error/i,
    as: "nccl",
  },
  {
    pattern:
      /gloo\/.{0,300}(?:Connection closed|Timed out|reset by peer)|Connection closed by peer/,
    as: null,
  },
  {
    pattern: /CUDA error: (?:device-side assert triggered|unspecified launch failure)/,
    as: "device-assert",
  },
  {
    pattern:
      /^(?:ConnectionReset|ConnectionRefused|ConnectionAborted|BrokenPipe|EOF|IncompleteRead)\w*/,
    as: null,
  },
  {
    pattern:
      /^(?:[\w.]*\.)?(?:CancelledError|ClosedResourceError|BrokenProcessPool|BrokenResourceError)\b/,
    as: null,
  },
  {
    pattern:
      /^(?:aiohttp|httpx|httpcore|anyio|zmq|grpc)[\w.]*(?:Connect|Disconnect|RemoteProtocol|Read|Again|ClosedResource|InactiveRpc)\w*/,
    as: null,
  },
  {
    pattern:
      /^[\w.]*(?:ChildFailedError|SignalException|ProcessExitedException|ProcessRaisedException)\b/,
    as: null,
  },
  { pattern: /DataLoader worker \(pid\(?s?\)? [\d, ]+\) exited unexpectedly/, as: null },
  { pattern: /^SystemExit\b/, as: "terminated" },
  { pattern: /^KeyboardInterrupt\b/, as: "interrupted" },
];

/** Words of the causes that only consequences name. */
export const LAST_RESORT: Readonly<Record<string, { cause: string; fix: string }>> = {
  terminated: {
    cause: "The job was ended from outside (SIGTERM).",
    fix: "A scheduler, a person, or a drain of the node did it. Resume from the last checkpoint.",
  },
  interrupted: {
    cause: "The job was interrupted (Ctrl-C or SIGINT).",
    fix: "Resume from the last checkpoint.",
  },
  "device-assert": {
    cause: "A GPU kernel failed, and nothing in the log says which.",
    fix: "Run again with CUDA_LAUNCH_BLOCKING=1 in env to name the operation; check that model and tokenizer belong together.",
  },
};
