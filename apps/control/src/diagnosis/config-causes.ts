import type { CauseRule } from "#diagnosis/cause-rule.ts";

/** What Hydra and verl's own validation say of a config (trainer/config, utils/config.py, workers/config). */
export const CONFIG_CAUSES: readonly CauseRule[] = [
  {
    id: "batch-divides",
    pattern:
      /real_train_batch_size \((\d+)\) must be divisible by minimal possible batch size \((\d+)\)/,
    cause: "$1 rollouts a step do not divide by $2 ranks.",
    fix: "Change batch.train_batch_size or batch.n, or pack by tokens (batch.use_dynamic_bsz).",
    field: "batch.train_batch_size",
  },
  {
    id: "gpus-divide",
    pattern: /n_gpus \((\d+)\) must be divisible by model_parallel_size \((\d+)\)/,
    cause: "$1 GPUs do not divide by TP × PP = $2.",
    fix: "Change the trainer's parallelism or its GPUs.",
    field: "engine.tensor_parallel",
  },
  {
    id: "micro-batch",
    pattern: /Please set at least one of '([^'\n]{0,200}micro_batch_size[^'\n]{0,200})'/,
    cause: "Nothing says how much a GPU takes at a time.",
    fix: "Set batch.ppo_micro_batch_size_per_gpu, or batch.use_dynamic_bsz.",
    field: "batch.ppo_micro_batch_size_per_gpu",
  },
  {
    id: "mini-batch",
    pattern: /train_batch_size \((\d+)\) must be >= \S{0,100}ppo_mini_batch_size \((\d+)\)/,
    cause: "An update takes $2 prompts, a step has $1.",
    fix: "Lower batch.ppo_mini_batch_size.",
    field: "batch.ppo_mini_batch_size",
  },
  {
    id: "separate-async-batch",
    pattern: /train_batch_size must equal parameter_sync_step \* ppo_mini_batch_size/,
    cause: "separate_async takes one update a weight sync step.",
    fix: "Make batch.train_batch_size async.parameter_sync_step × batch.ppo_mini_batch_size.",
    field: "batch.train_batch_size",
  },
  {
    id: "dynamic-tokens",
    pattern:
      /max_token_len must be greater than the sequence length\. Got max_token_len=(\d+) and max_seq_len=(?:tensor\()?(\d+)/,
    cause: "A sequence of $2 tokens is longer than one pass of $1.",
    fix: "Raise batch.ppo_max_token_len_per_gpu to prompt and response together.",
    field: "batch.ppo_max_token_len_per_gpu",
  },
  {
    id: "model-window",
    pattern:
      /max_model_len \((\d+)\) (?:should be less than or equal to|is greater than the derived max_model_len) \(?max_position_embeddings[ =]\(?(\d+)/,
    cause: "The window of $1 tokens is longer than the model's $2.",
    fix: "Shorten the prompt or the response.",
    field: "lengths.max_model_len",
  },
  {
    id: "remove-padding",
    pattern: /When using sequence parallelism .{0,200}must enable `use_remove_padding`/,
    cause: "Sequence parallel wants sequences without padding.",
    fix: "Turn on model.use_remove_padding.",
    field: "model.use_remove_padding",
  },
  {
    id: "sp-heads",
    pattern:
      /num_(?:attention_heads|key_value_heads) (\d+) must be divisible by ulysses_sp_size (\d+)/,
    cause: "$1 heads do not divide by sp_size $2.",
    fix: "Lower engine.sp_size.",
    field: "engine.sp_size",
  },
  {
    id: "router-replay-bypass",
    pattern: /router_replay\.mode='R2' requires .{0,200}bypass_mode=False/,
    cause: "R2 needs the trainer's log-prob pass, which bypass_mode leaves out.",
    fix: "Use R3, or turn off algorithm.bypass_mode.",
    field: "engine.router_replay",
  },
  {
    id: "router-replay-vllm",
    pattern: /enable_rollout_routing_replay=True requires vLLM >= ([\d.]+\d)/,
    cause: "The installed vLLM can not return its routes.",
    fix: "Install vLLM $1 or newer, or turn off engine.router_replay.",
    field: "engine.router_replay",
  },
  {
    id: "one-step-off-dumps",
    pattern: /no attribute '_dump_executor'/,
    cause: "one_step_off of verl 0.9.1 dies when a dump folder is set.",
    fix: "Take trainer.rollout_data_dir and trainer.validation_data_dir out of the overrides.",
    field: "overrides",
  },
  {
    id: "dataloader-empty",
    pattern: /Train dataloader is empty/,
    cause: "The data has fewer rows than one step takes.",
    fix: "Lower batch.train_batch_size, or give more data.",
    field: "batch.train_batch_size",
  },
  {
    id: "hdfs",
    pattern: /NotImplementedError: load from hdfs is not implemented/i,
    cause: "This trainer can not load a checkpoint from HDFS.",
    fix: "Take trainer.default_hdfs_dir out of the overrides.",
    field: "overrides",
  },
  {
    id: "equal-chunk",
    pattern: /only support equal chunk\. Got size of DataProto (\d+) and chunk (\d+)/,
    cause: "A batch of $1 rows does not divide among $2 workers.",
    fix: "Make batch.train_batch_size × batch.n a multiple of the ranks, or of the agent workers.",
    field: "batch.train_batch_size",
  },
  {
    id: "hydra-unknown-key",
    pattern: /Could not override '([^']{1,200})'/,
    cause: "verl's config has no key $1.",
    fix: "Correct the name, or write it with + in front if it is really new.",
    field: "overrides",
  },
  {
    id: "hydra-missing",
    pattern: /Missing mandatory value: (\S+)/,
    cause: "verl wants a value for $1.",
    fix: "Add it to the overrides.",
    field: "overrides",
  },
  {
    id: "hydra-grammar",
    pattern:
      /(?:OverrideParseException: |Error parsing override )(?:Error parsing override )?'([^']{1,200})'/,
    cause: "Hydra cannot parse the override $1.",
    fix: "Put lists and texts with special characters in quotes.",
    field: "overrides",
  },
  {
    id: "hydra-config-missing",
    pattern:
      /MissingConfigException|Cannot find primary config '([^']{1,200})'|In '[^']{1,200}': Could not find '([^']{1,200})'/,
    cause: "Hydra does not find a config file: $1$2.",
    fix: "Check the names of groups in the overrides, and verl.path: a checkout must be whole, with verl/trainer/config.",
    field: "verl.path",
  },
  {
    id: "hydra-interpolation",
    exception: /^omegaconf\.errors\.Interpolation/,
    pattern: /Interpolation key '([^']{1,200})' not found|Interpolation\w{0,40}Error: (.{0,120})/,
    cause: "The config refers to a value that does not exist: $1$2.",
    fix: "Correct the reference in the overrides.",
    field: "overrides",
  },
  {
    id: "hydra-type",
    exception:
      /^omegaconf\.errors\.(?:Validation|UnsupportedValueType|UnsupportedInterpolationType)/,
    pattern:
      /Value '([^']{1,200})' of type '[^']{1,200}' could not be converted to (\w+)[\s\S]{0,300}?full_key: (\S{1,200})|ValidationError: (.{0,160})/,
    cause: "An override has a value of the wrong type: $3 $1 $4.",
    fix: "Give it a value of the type that verl's config has.",
    field: "overrides",
  },
  {
    id: "mini-batch-normalised",
    pattern:
      /ppo_mini_batch_size (\d+) should be larger than 0 after normalization|normalized ppo_mini_batch_size (\d+)/,
    cause: "An update has fewer rows than there are ranks: ppo_mini_batch_size is $1$2 for each.",
    fix: "Raise batch.ppo_mini_batch_size or batch.n, or train on fewer GPUs.",
    field: "batch.ppo_mini_batch_size",
  },
  {
    id: "prompt-truncation",
    pattern:
      /sequence_length=(\d+) is larger than max_length=(\d+)|Prompt length (\d+) is longer than (\d+)/,
    cause:
      "A prompt of $1$3 tokens is longer than the limit of $2$4, and data.truncation is error.",
    fix: "Raise lengths.max_prompt_length, or set data.filter_overlong_prompts=True or data.truncation=left.",
    field: "lengths.max_prompt_length",
  },
  {
    id: "pipeline-layers",
    pattern:
      /num_layers .{0,40}should be divisible by pipeline_model_parallel_size|number of layers .{0,60}divisible by .{0,40}pipeline/,
    cause: "The model's layers do not divide by the pipeline parallel size.",
    fix: "Choose a pipeline size that divides the number of layers.",
    field: "overrides",
  },
];
