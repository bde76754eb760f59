import type { CauseRule } from "#diagnosis/cause-rule.ts";

/** Rollouts, agent loops and what verl makes of their rows. */
export const ROLLOUT_CAUSES: readonly CauseRule[] = [
  {
    id: "groups-all-failed",
    pattern: /selected terminal groups with no materializable trajectories/,
    cause: "Every rollout of a step failed.",
    fix: "Look at the failed rollouts of that step: sandbox, image or agent. trainer.v1.sampler.sync_refill_failed_groups=True asks for others instead of ending.",
  },
  {
    id: "batch-all-masked",
    pattern: /response_mask must contain at least one valid token/,
    cause: "A step had no token to train on: every rollout failed or was filtered.",
    fix: "Look at the failed rollouts of that step, and at trajectory_filter.drop_reasons.",
    field: "trajectory_filter.drop_reasons",
  },
  {
    id: "row-num-turns",
    pattern: /KeyError: 'num_turns'/,
    cause: "An agent loop left num_turns out of its output.",
    fix: "Set every field of AgentLoopOutput: verl drops those that stand at their default. LiveRL's loop does; check agent_loop_config_path.",
    field: "overrides",
  },
  {
    id: "row-log-probs",
    pattern: /KeyError: 'rollout_log_probs'/,
    cause: "Rollouts came without log-probs while calculate_log_probs is on.",
    fix: "Leave calculate_log_probs on and the agent loop as it is: its rows carry them.",
    field: "overrides",
  },
  {
    id: "prompt-too-long",
    pattern:
      /Prompt length \((\d+)\) leaves no room to generate within the model's maximum context length \((\d+)\)/,
    cause: "A prompt of $1 tokens fills the window of $2.",
    fix: "Raise lengths.max_model_len, or lower lengths.max_prompt_length.",
    field: "lengths.max_model_len",
  },
  {
    id: "data-column",
    from: /verl|datasets|trl/,
    pattern: /(?:KeyError: '(prompt|data_source)'|Column (\S+) not in the dataset)/,
    cause: "The data has no column $1$2.",
    fix: "Name data files with the columns prompt and data_source.",
    field: "data.train_files",
  },
  {
    id: "no-task",
    pattern: /the row names no task: /,
    cause: "A row of the data names no task.",
    fix: "Give the rows task_ref, local_task_path or instance_id (with data.harbor_root), or set data.task_path_template.",
    field: "data.task_path_template",
  },
  {
    id: "chat-template",
    pattern: /(?:tokenizer\.chat_template is not set|no chat template is defined)/i,
    cause: "The model's tokenizer has no chat template.",
    fix: "Put chat_template.jinja in the model's folder.",
    field: "model.path",
  },
  {
    id: "reward-function",
    // The innermost frame is the function's own, not a library's that it calls.
    from: /(?:reward_manager|reward_score|\/rewards?\/|_reward\.py|reward_f)[^\n]{0,200}$/,
    pattern:
      /^(?!(?:ray|torch|wandb|openai|requests|httpx|aiohttp)\.)[\w.]*(?:ZeroDivisionError|TypeError|AttributeError|IndexError|NameError|UnboundLocalError|KeyError|ValueError|JSONDecodeError): (.{0,160})/,
    weight: "soft",
    cause: "The reward function raised an error: $1.",
    fix: "Correct it in the file that the last frame names; return a reward for every response.",
  },
];
