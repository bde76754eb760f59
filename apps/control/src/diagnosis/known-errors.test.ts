import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CAUSES } from "#diagnosis/choose-cause.ts";
import { diagnose } from "#diagnosis/diagnose.ts";

const fixture = (name: string) =>
  readFileSync(new URL(`__fixtures__/${name}.txt`, import.meta.url), "utf8");

test("a fully_async run that one rollout ended", () => {
  expect(diagnose(fixture("fully-async-exception"))).toMatchObject({
    id: "streaming-exception",
    cause: expect.stringContaining("exits with 0"),
  });
});

test("a run that ended as planned, and failed agent loops that verl takes in its stride, give nothing away", () => {
  expect(diagnose(fixture("fully-async-normal"))).toBeNull();
  expect(diagnose(fixture("agent-loop-errors"))).toBeNull();
  expect(diagnose("")).toBeNull();
});

/** Lines as verl 0.9.1, Ray 2.60, vLLM 0.24, PyTorch, Hydra and the kernel write them. */
const LINES: readonly [id: string, line: string, says?: RegExp][] = [
  [
    "hydra-unknown-key",
    "Could not override 'actor_rollout_ref.actor.grad_clip'.\nTo append to your config use +actor_rollout_ref.actor.grad_clip=1",
    /grad_clip/,
  ],
  [
    "hydra-missing",
    "omegaconf.errors.MissingMandatoryValue: Missing mandatory value: actor_rollout_ref.rollout.name",
    /rollout\.name/,
  ],
  [
    "hydra-grammar",
    "hydra.errors.OverrideParseException: Error parsing override 'trainer.logger=[console'",
    /logger/,
  ],
  [
    "hydra-config-missing",
    "hydra.errors.MissingConfigException: In 'config/ppo': Could not find 'ppo_trainer'",
  ],
  [
    "batch-divides",
    "AssertionError: real_train_batch_size (36) must be divisible by minimal possible batch size (8)",
    /36 .* 8/,
  ],
  [
    "gpus-divide",
    "AssertionError: n_gpus (8) must be divisible by model_parallel_size (3) times context_parallel_size (1)",
    /8 GPUs .* 3/,
  ],
  [
    "micro-batch",
    "AssertionError: [actor] Please set at least one of 'actor.ppo_micro_batch_size' or 'actor.ppo_micro_batch_size_per_gpu' if use_dynamic_bsz is not enabled.",
  ],
  [
    "mini-batch",
    "ValueError: train_batch_size (8) must be >= actor.ppo_mini_batch_size (256)",
    /256 prompts/,
  ],
  [
    "separate-async-batch",
    "AssertionError: train_batch_size must equal parameter_sync_step * ppo_mini_batch_size in separate async training, but got train_batch_size=16",
  ],
  [
    "dynamic-tokens",
    "AssertionError: max_token_len must be greater than the sequence length. Got max_token_len=1024 and max_seq_len=tensor(2048)",
    /2048 .* 1024/,
  ],
  [
    "model-window",
    "ValueError: max_model_len (131072) should be less than or equal to max_position_embeddings (40960)",
    /131072/,
  ],
  [
    "remove-padding",
    "ValueError: When using sequence parallelism for actor/ref policy, you must enable `use_remove_padding`.",
  ],
  [
    "sp-heads",
    "AssertionError: num_attention_heads 28 must be divisible by ulysses_sp_size 8",
    /28/,
  ],
  [
    "router-replay-bypass",
    "ValueError: router_replay.mode='R2' requires algorithm.rollout_correction.bypass_mode=False: R2 records routes",
  ],
  [
    "router-replay-vllm",
    "ValueError: rollout.enable_rollout_routing_replay=True requires vLLM >= 0.22.0 (got 0.19)",
    /.*/,
  ],
  [
    "one-step-off-dumps",
    "AttributeError: 'OneStepOffRayTrainer' object has no attribute '_dump_executor'",
  ],
  ["dataloader-empty", "AssertionError: Train dataloader is empty!"],
  ["hdfs", "NotImplementedError: load from hdfs is not implemented yet"],
  [
    "kv-cache-none",
    "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine",
  ],
  [
    "kv-cache-window",
    "ValueError: To serve at least one request with the model's max seq len (131072), (24.00 GiB KV cache is needed, which is larger than the available KV cache memory (10.23 GiB). Based on",
    /24\.00 GiB .* 10\.23/,
  ],
  [
    "gpu-taken",
    "ValueError: Free memory on device cuda:0 (33.16/79.15 GiB) on startup is less than desired GPU memory utilization (0.9, 71.23 GiB).",
    /33\.16 of 79\.15/,
  ],
  [
    "illegal-memory-access",
    "RuntimeError: CUDA error: an illegal memory access was encountered",
    /KV heads/,
  ],
  [
    "heads-tensor-parallel",
    "ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8).",
    /28 .* 8/,
  ],
  [
    "cuda-out-of-memory",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 18.55 GiB. GPU 0 has a total capacity of 79.15 GiB",
  ],
  ["no-gpu", "RuntimeError: No CUDA GPUs are available"],
  [
    "node-out-of-memory",
    "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.",
  ],
  [
    "nccl-timeout",
    "[rank3]:[E1120 14:59:33.65 ProcessGroupNCCL.cpp:632] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE",
  ],
  [
    "nccl",
    "torch.distributed.DistBackendError: NCCL error in: NCCLUtils.cpp:77, unhandled system error",
  ],
  [
    "shared-memory",
    "RuntimeError: unable to open shared memory object </torch_12_34> in read-write mode",
  ],
  ["disk-full", "OSError: [Errno 28] No space left on device"],
  [
    "groups-all-failed",
    "RuntimeError: Sync replay buffer selected terminal groups with no materializable trajectories.",
  ],
  ["batch-all-masked", "ValueError: response_mask must contain at least one valid token (1)."],
  ["row-num-turns", "KeyError: 'num_turns'"],
  ["row-log-probs", "KeyError: 'rollout_log_probs'"],
  [
    "prompt-too-long",
    "ValueError: Prompt length (70) leaves no room to generate within the model's maximum context length (64); need at least 1 token of headroom.",
  ],
  [
    "chat-template",
    "ValueError: Cannot use chat template functions because tokenizer.chat_template is not set and no template argument was passed!",
  ],
  [
    "ray-gpus",
    "ValueError: Total available GPUs 2.0 is less than total desired GPUs 8",
    /2\.0 GPUs.* 8/,
  ],
  ["placement-pending", "TimeoutError: placement group verl_group_8:0 is not ready after 1800 s"],
  [
    "ray-token",
    "ray.exceptions.AuthenticationError: Authentication failed: Unauthenticated: invalid authentication token",
  ],
  ["ray-version", "RuntimeError: Version mismatch: The cluster was started with:\n    Ray: 2.58.0"],
  ["ray-runtime-env", "ray.exceptions.RuntimeEnvSetupError: Failed to set up runtime environment."],
  [
    "ray-away",
    "ConnectionError: Could not find any running Ray instance. Please specify the one to connect to",
  ],
  ["verl-missing", "ModuleNotFoundError: No module named 'verl.trainer'", /verl\.trainer/],
  ["adapter-missing", "ModuleNotFoundError: No module named 'liverl_verl'"],
  ["verl-core-missing", "ModuleNotFoundError: No module named 'transfer_queue'", /transfer_queue/],
  ["module-missing", "ModuleNotFoundError: No module named 'math_verify'", /math_verify/],
  ["flash-attn-missing", "ModuleNotFoundError: No module named 'flash_attn'", /flash_attn/],
  ["object-store-full", "ray.exceptions.ObjectStoreFullError: Failed to put object"],
  [
    "ray-start",
    "Exception: The current node timed out during startup. This could happen because some of the raylet failed to startup.",
  ],
  [
    "c-compiler",
    "RuntimeError: Failed to find C compiler. Please specify via CC environment variable.",
  ],
  ["sglang-cache", "RuntimeError: Prefill out of memory. Try to lower your batch size."],
  ["device-ordinal", "RuntimeError: CUDA error: invalid device ordinal"],
  [
    "fabric-manager",
    "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized",
  ],
  [
    "gpu-shared",
    "AssertionError: Error in memory profiling. Initial free memory 70 GiB, current free memory 75 GiB.",
  ],
  [
    "trust-remote-code",
    "ValueError: Loading acme/model requires you to execute the configuration file in that repo on your local machine.",
  ],
  [
    "mlflow-away",
    "mlflow.exceptions.MlflowException: API request to http://mlflow:5000/api/2.0/mlflow/runs/create failed with exception HTTPConnectionPool",
  ],
  [
    "mlflow-refused",
    "mlflow.exceptions.RestException: PERMISSION_DENIED: no access to experiment 3",
  ],
  [
    "mini-batch-normalised",
    "AssertionError: ppo_mini_batch_size 0 should be larger than 0 after normalization",
  ],
  [
    "prompt-truncation",
    "NotImplementedError: sequence_length=1331 is larger than max_length=1024",
    /1331 .* 1024/,
  ],
  [
    "pipeline-layers",
    "AssertionError: num_layers should be divisible by pipeline_model_parallel_size",
  ],
  [
    "model-missing",
    "OSError: /models/Qwen is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'",
    /\/models\/Qwen/,
  ],
  [
    "checkpoint-world-size",
    "FileNotFoundError: [Errno 2] No such file or directory: '/c/global_step_2/actor/model_world_size_16_rank_3.pt'",
    /16 ranks/,
  ],
  [
    "file-missing",
    "FileNotFoundError: [Errno 2] No such file or directory: '/data/train.parquet'",
    /\/data\/train\.parquet/,
  ],
  [
    "cuda-library",
    "ImportError: libcudart.so.13: cannot open shared object file: No such file or directory",
    /libcudart/,
  ],
  [
    "actor-died",
    "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.",
  ],
];

test.each(LINES)("%s is recognised", (id, line, says = /./) => {
  const log = `starting\n\u001b[36m(WorkerDict pid=12, ip=10.0.0.2)\u001b[0m ${line}\nTraceback goes on`;
  const diagnosis = diagnose(log);
  expect(diagnosis?.id).toBe(id);
  expect(diagnosis?.cause).toMatch(says);
  expect(`${diagnosis?.cause} ${diagnosis?.fix}`).not.toMatch(/\$\d/);
});

test("every rule has an error or a log that it recognises", () => {
  const logs = ["tuned", "held-out", "fresh"].map(fixture).join("");
  const tested = new Set(
    [...LINES.map(([id]) => id), ...logs.matchAll(/ -> ([\w-]+)$/gm)].map((id) =>
      typeof id === "string" ? id : id[1],
    ),
  );
  expect(CAUSES.map(({ id }) => id).filter((id) => !tested.has(id))).toEqual([]);
});

test("a cause comes before the deaths that it led to, whatever their order in the log", () => {
  const log =
    "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n(WorkerDict pid=1) torch.OutOfMemoryError: CUDA out of memory.\nNCCL error";
  expect(diagnose(log)?.id).toBe("cuda-out-of-memory");
});

test("a class of another library is not claimed by its bare name", () => {
  for (const line of [
    "openai.AuthenticationError: Error code: 401",
    "google.api_core.exceptions.Unauthenticated: 401 invalid credentials",
    "acme.errors.ActorDiedError: the play is over",
    "redis.exceptions.TimeoutError: Timeout reading from socket",
    "docker.errors.ImageNotFound: 404 Client Error",
    "psycopg.errors.DiskFull: could not extend file",
    "requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: https://judge.example.com",
  ]) {
    const log = `Error executing job with overrides: []\nTraceback (most recent call last):\n  File "/srv/verl/verl/trainer/main_ppo.py", line 42, in main\n${line}`;
    expect([line, diagnose(log)]).toMatchObject([
      line,
      { id: null, cause: `Unknown cause; last error: ${line}` },
    ]);
  }
});
