import { AgentName } from "@liverl/contract/proxy-admin";
import { SEPARATE_ROLLOUT_MODES } from "@liverl/contract/verl-launch";
import {
  type LaunchSection,
  number,
  type ReadValue,
  select,
  text,
  toggle,
} from "#launch/fields/launch-field.ts";

const isEngine =
  (...names: string[]) =>
  (read: ReadValue) =>
    names.includes(String(read("engine.name")));
const isMegatron = isEngine("megatron");
const isSharded = isEngine("fsdp", "fsdp2", "veomni");
const knowsExperts = isEngine("veomni", "megatron");
const hasPool = (read: ReadValue) =>
  SEPARATE_ROLLOUT_MODES.some((mode) => mode === read("algorithm.trainer_mode"));

export const MODEL_SECTION: LaunchSection = {
  id: "model",
  label: "Model",
  fields: [
    text("model.path", "Folder", "In Hugging Face form, readable by trainer, engines and proxy."),
    toggle("model.trust_remote_code", "Trust its code", "Runs Python from the model's folder.", {
      rare: true,
    }),
    toggle(
      "model.use_remove_padding",
      "Remove padding",
      "Rows stand one behind the other without padding.",
      {
        rare: true,
      },
    ),
  ],
};

export const LAYOUT_SECTION: LaunchSection = {
  id: "layout",
  label: "Layout",
  fields: [
    number("layout.nnodes", "Nodes", "Of the trainer."),
    number("layout.n_gpus_per_node", "GPUs a node", "Of the trainer."),
    number("layout.rollout_nnodes", "Rollout nodes", "With engines of their own.", {
      matters: hasPool,
    }),
    number("layout.rollout_n_gpus_per_node", "Rollout GPUs a node", "With engines of their own.", {
      matters: hasPool,
    }),
  ],
};

export const ENGINE_SECTION: LaunchSection = {
  id: "engine",
  label: "Train engine",
  fields: [
    select(
      "engine.name",
      "Engine",
      ["fsdp", "fsdp2", "veomni", "megatron"],
      "What shards and updates the model.",
    ),
    number("engine.fsdp_size", "FSDP size", "GPUs that share one copy; -1 for all.", {
      matters: isSharded,
    }),
    number(
      "engine.sp_size",
      "Sequence parallel",
      "Ulysses: parts of one sequence on several GPUs.",
      {
        matters: isSharded,
      },
    ),
    number("engine.tensor_parallel", "Tensor parallel", "Of the trainer.", { matters: isMegatron }),
    number("engine.pipeline_parallel", "Pipeline parallel", "Of the trainer.", {
      matters: isMegatron,
    }),
    number("engine.context_parallel", "Context parallel", "Of the trainer.", {
      matters: isMegatron,
    }),
    number("engine.expert_parallel", "Expert parallel", "GPUs that share a layer's experts.", {
      matters: knowsExperts,
    }),
    select(
      "engine.router_replay",
      "Router replay",
      ["disabled", "R2", "R3"],
      "Trains the experts that were chosen: R2 by the trainer's own pass, R3 by the engine.",
      { matters: knowsExperts },
    ),
    toggle("engine.param_offload", "Offload weights", "To main memory between updates."),
    toggle("engine.optimizer_offload", "Offload Adam", "To main memory between updates."),
  ],
};

export const ROLLOUT_SECTION: LaunchSection = {
  id: "rollout",
  label: "Rollouts",
  fields: [
    number(
      "rollout.tensor_parallel",
      "Tensor parallel",
      "GPUs of one engine; must divide the model's KV heads.",
    ),
    number(
      "rollout.gpu_memory_utilization",
      "GPU memory",
      "Share that an engine may fill with weights and cache.",
    ),
    number("rollout.concurrency", "In flight", "Attempts that run at the same time.", {
      unit: "attempts",
    }),
    select(
      "rollout.agent",
      "Agent",
      AgentName.options,
      "Who works on Harbor tasks: mini asks the model and runs bash; claude-code, codex, opencode, mini-swe-agent and openhands-sdk work inside of the sandbox; terminus-2 types into its terminal; oracle is the task's own solution, nop does nothing. Or any agent of Harbor by its import path, module.path:ClassName.",
      { other: "import path" },
    ),
    number("rollout.max_turns", "Turns", "Most turns of one attempt."),
    number("rollout.timeout_s", "Time limit", "Of one attempt.", { unit: "s" }),
    number("rollout.max_tokens", "Tokens per turn", "Longest sampled turn.", {
      unit: "tokens",
      nullable: true,
      empty: "what is left",
    }),
    select(
      "proxy.mode",
      "Proxy",
      ["server", "local"],
      "LiveRL's own, or one on each host of the trainer, which agents then have to reach.",
    ),
    number("rollout.temperature", "Temperature", "Of sampling in training.", { rare: true }),
    number("rollout.top_p", "top_p", "Below 1 the trainer does not see the same probabilities.", {
      rare: true,
    }),
    number("rollout.top_k", "top_k", "-1 for none.", { rare: true }),
    number("rollout.retries", "Retries", "Of a rollout that infrastructure failed.", {
      rare: true,
    }),
    text("rollout.name", "Engine", "verl's name of it: vllm, sglang.", { rare: true }),
    number("rollout.max_num_seqs", "Sequences at once", "In one engine.", { rare: true }),
    number("rollout.max_num_batched_tokens", "Tokens a batch", "In one engine.", { rare: true }),
    number("rollout.agent_workers", "Agent workers", "Processes that verl's agent loop runs in.", {
      rare: true,
    }),
    toggle("rollout.enforce_eager", "No CUDA graphs", "Starts sooner, samples slower.", {
      rare: true,
    }),
    toggle(
      "rollout.free_cache_engine",
      "Free cache",
      "Engines give their memory back while the trainer updates.",
      {
        rare: true,
      },
    ),
  ],
};
