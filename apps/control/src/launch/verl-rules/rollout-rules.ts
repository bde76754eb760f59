import { SEPARATE_ROLLOUT_MODES } from "@liverl/contract/verl-launch";
import { readOverride } from "#launch/effective-spec.ts";
import { templateValuesOf } from "#launch/template-values.ts";
import {
  fail,
  largestDivisor,
  pass,
  set,
  shapeOf,
  takeOut,
  trainerWorld,
  type VerlRule,
  warn,
} from "#launch/verl-rules/verl-rule.ts";

export const ROLLOUT_RULES: readonly VerlRule[] = [
  {
    id: "template-values",
    judge: (spec) => {
      const { values, unread } = templateValuesOf(spec);
      const [path] = unread;
      if (path !== undefined)
        return fail(
          "The chat template's variables cannot be read",
          "LiveRL's proxy renders the prompts and takes strings, numbers and booleans from apply_chat_template_kwargs.",
          { fix: takeOut(path) },
        );
      if (values === undefined) return null;
      const told = Object.entries(values).map(([name, value]) => `${name}=${value}`);
      return pass(
        "Chat template",
        `The proxy renders every prompt of the run with ${told.join(", ")}.`,
      );
    },
  },
  {
    id: "kv-heads",
    judge: ({ rollout }, evidence) => {
      const shape = shapeOf(evidence);
      if (shape === null) return null;
      const tp = rollout.tensor_parallel;
      if (shape.kvHeads % tp === 0)
        return pass("KV heads", `${shape.kvHeads} divide by TP ${tp}.`, {
          field: "rollout.tensor_parallel",
        });
      return fail(
        `Tensor parallel ${tp} does not divide ${shape.kvHeads} KV heads`,
        "The first forward pass would fail with an illegal memory access.",
        { fix: set("rollout.tensor_parallel", largestDivisor(shape.kvHeads, tp)) },
      );
    },
  },
  {
    id: "heads",
    judge: ({ rollout }, evidence) => {
      const shape = shapeOf(evidence);
      const tp = rollout.tensor_parallel;
      // Where the KV heads do not divide either, that is what is told.
      if (shape === null || shape.kvHeads % tp !== 0 || shape.heads % tp === 0) return null;
      return fail(
        `Tensor parallel ${tp} does not divide ${shape.heads} attention heads`,
        "The engine refuses the model.",
        { fix: set("rollout.tensor_parallel", largestDivisor(shape.heads, tp)) },
      );
    },
  },
  {
    id: "rollout-pool",
    judge: ({ algorithm, layout }) => {
      const gpus = layout.rollout_nnodes * layout.rollout_n_gpus_per_node;
      if (!SEPARATE_ROLLOUT_MODES.includes(algorithm.trainer_mode))
        return layout.rollout_nnodes > 0
          ? warn(
              "The rollout pool is not used",
              `In ${algorithm.trainer_mode} trainer and engines take turns on the same GPUs.`,
              { fix: set("layout.rollout_nnodes", 0) },
            )
          : null;
      if (gpus > 0)
        return pass(
          "Rollout pool",
          `${layout.rollout_nnodes} × ${layout.rollout_n_gpus_per_node} GPUs beside the trainer's.`,
          { field: "layout.rollout_nnodes" },
        );
      return fail(
        "No GPUs for the engines",
        `${algorithm.trainer_mode} rolls out on a pool of its own.`,
        layout.rollout_nnodes === 0
          ? { fix: set("layout.rollout_nnodes", 1) }
          : { fix: set("layout.rollout_n_gpus_per_node", layout.n_gpus_per_node) },
      );
    },
  },
  {
    id: "rollout-tp-divides",
    judge: (spec, evidence) => {
      const { layout, rollout, algorithm } = spec;
      const isSeparate = SEPARATE_ROLLOUT_MODES.includes(algorithm.trainer_mode);
      const gpus = isSeparate
        ? layout.rollout_nnodes * layout.rollout_n_gpus_per_node
        : trainerWorld(spec);
      const tp = rollout.tensor_parallel;
      if (gpus === 0) return null;
      if (gpus % tp === 0)
        return pass("Engines", `${gpus / tp} of TP ${tp} on ${gpus} GPUs.`, {
          field: "rollout.tensor_parallel",
        });
      const heads = shapeOf(evidence)?.kvHeads ?? gpus;
      return fail(
        `Engines of TP ${tp} do not fill ${gpus} GPUs`,
        "verl wants the GPUs divisible by TP × DP × PP.",
        {
          fix: set(
            "rollout.tensor_parallel",
            largestDivisor(gpus, Math.min(tp, largestDivisor(heads, tp))),
          ),
        },
      );
    },
  },
  {
    id: "rollout-tp-node",
    judge: ({ layout, rollout, algorithm }) => {
      const each = SEPARATE_ROLLOUT_MODES.includes(algorithm.trainer_mode)
        ? layout.rollout_n_gpus_per_node
        : layout.n_gpus_per_node;
      if (each === 0 || rollout.tensor_parallel <= each) return null;
      return warn(
        "An engine spans nodes",
        `TP ${rollout.tensor_parallel} with ${each} GPUs a node: each layer waits for the network.`,
        { fix: set("rollout.tensor_parallel", each) },
      );
    },
  },
  {
    id: "rollout-pp",
    judge: (spec) => {
      const found = readOverride(spec, "actor_rollout_ref.rollout.pipeline_model_parallel_size");
      return typeof found?.value === "number" && found.value > 1
        ? fail("verl's engines know no pipeline parallelism", "It refuses a size above 1.", {
            fix: set(found.path, 1),
          })
        : null;
    },
  },
  {
    id: "rollout-ep",
    judge: (spec) => {
      const found = readOverride(spec, "actor_rollout_ref.rollout.expert_parallel_size");
      const dp = readOverride(spec, "actor_rollout_ref.rollout.data_parallel_size");
      const wanted = spec.rollout.tensor_parallel * (typeof dp?.value === "number" ? dp.value : 1);
      return typeof found?.value === "number" && found.value > 1 && found.value !== wanted
        ? fail(
            "Expert parallel of the engine must be TP × DP",
            `It is ${found.value}, TP × DP is ${wanted}.`,
            { fix: set(found.path, wanted) },
          )
        : null;
    },
  },
  {
    id: "rollout-mode",
    judge: (spec) => {
      const found = readOverride(spec, "actor_rollout_ref.rollout.mode");
      return found !== undefined && found.value !== "async"
        ? fail("verl has only asynchronous engines", "rollout.mode=sync was removed.", {
            fix: set(found.path, "async"),
          })
        : null;
    },
  },
  {
    id: "prometheus",
    judge: (spec) => {
      if (readOverride(spec, "actor_rollout_ref.rollout.prometheus.enable")?.value !== true)
        return null;
      const found = readOverride(spec, "actor_rollout_ref.rollout.disable_log_stats");
      if (found?.value === false) return null;
      return fail(
        "Prometheus wants the engine's statistics",
        "rollout.prometheus.enable needs rollout.disable_log_stats=False.",
        {
          fix: set(
            found?.path ?? "overrides.actor_rollout_ref.rollout.disable_log_stats",
            false,
            "Log them",
          ),
        },
      );
    },
  },
  {
    id: "sampling-unsupported",
    judge: ({ rollout }) =>
      rollout.name === "trtllm" && rollout.max_tokens !== null
        ? fail(
            "TensorRT-LLM ignores the limit per turn",
            "verl's TensorRT-LLM server replaces max_tokens by what the response has left.",
            { fix: set("rollout.max_tokens", null, "Set no limit per turn") },
          )
        : null,
  },
  {
    id: "sampling-truncated",
    judge: ({ rollout }) =>
      rollout.top_p < 1 || rollout.top_k > 0
        ? warn(
            "Sampling is cut off, training is not",
            "With top_p below 1 or a top_k the engine renormalises its log-probs and the trainer does not: the two differ by design.",
            {
              fix:
                rollout.top_p < 1
                  ? set("rollout.top_p", 1, "Use top_p 1")
                  : set("rollout.top_k", -1, "Use no top_k"),
            },
          )
        : null,
  },
];
