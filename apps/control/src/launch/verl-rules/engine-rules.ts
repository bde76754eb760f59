import { readOverride } from "#launch/effective-spec.ts";
import {
  fail,
  largestDivisor,
  modelParallel,
  pass,
  set,
  shapeOf,
  trainerWorld,
  type VerlRule,
  warn,
} from "#launch/verl-rules/verl-rule.ts";

export const ENGINE_RULES: readonly VerlRule[] = [
  {
    id: "megatron-world",
    judge: (spec) => {
      if (spec.engine.name !== "megatron") return null;
      const world = trainerWorld(spec);
      const each = modelParallel(spec);
      if (world % each === 0)
        return pass("Layout", `${world} GPUs hold ${world / each} copies of ${each}.`);
      return fail(
        "The trainer's GPUs do not divide by its parallelism",
        `${world} GPUs over TP × PP × CP = ${each}.`,
        { field: "engine.tensor_parallel" },
      );
    },
  },
  {
    id: "fsdp-size",
    judge: (spec) => {
      const world = trainerWorld(spec);
      const { fsdp_size, name } = spec.engine;
      if (name === "megatron" || fsdp_size === -1) return null;
      if (fsdp_size > 0 && world % fsdp_size === 0)
        return pass("FSDP group", `${fsdp_size} of ${world} GPUs share one copy.`, {
          field: "engine.fsdp_size",
        });
      return fail(
        "fsdp_size does not divide the trainer's GPUs",
        `${fsdp_size} of ${world}; -1 shares one copy over all.`,
        { fix: set("engine.fsdp_size", -1) },
      );
    },
  },
  {
    id: "sp-world",
    judge: (spec) => {
      const world = trainerWorld(spec);
      if (spec.engine.name === "megatron" || world % spec.engine.sp_size === 0) return null;
      return fail(
        "sp_size does not divide the trainer's GPUs",
        `${spec.engine.sp_size} of ${world}.`,
        { fix: set("engine.sp_size", largestDivisor(world, spec.engine.sp_size)) },
      );
    },
  },
  {
    id: "sp-padding",
    judge: ({ engine, model }) =>
      engine.name !== "megatron" && engine.sp_size > 1 && !model.use_remove_padding
        ? fail(
            "Sequence parallel wants sequences without padding",
            "verl refuses sp_size above 1 without use_remove_padding.",
            { fix: set("model.use_remove_padding", true, "Remove padding") },
          )
        : null,
  },
  {
    id: "gated-delta-net",
    judge: ({ engine }, evidence) => {
      const shape = shapeOf(evidence);
      if (shape === null || !shape.hasGatedDeltaNet) return null;
      if (engine.name === "megatron" || engine.sp_size === 1)
        return pass(
          "Sequence parallel",
          `1, as the linear attention of ${shape.modelType} needs.`,
          {
            field: "engine.sp_size",
          },
        );
      return fail(
        `sp_size must be 1 for ${shape.modelType}`,
        "Ulysses cuts the sequence through the state of its GatedDeltaNet layers and corrupts them. A long window fits by a larger fsdp_size instead.",
        { fix: set("engine.sp_size", 1) },
      );
    },
  },
  {
    id: "sp-heads",
    judge: ({ engine }, evidence) => {
      const shape = shapeOf(evidence);
      const { sp_size } = engine;
      if (shape === null || engine.name === "megatron" || sp_size === 1) return null;
      const kvFits = shape.kvHeads % sp_size === 0 || sp_size % shape.kvHeads === 0;
      if (shape.heads % sp_size === 0 && kvFits) return null;
      return fail(
        "Attention heads do not divide by sp_size",
        `${shape.heads} heads and ${shape.kvHeads} KV heads over ${sp_size}.`,
        { fix: set("engine.sp_size", largestDivisor(shape.kvHeads, sp_size)) },
      );
    },
  },
  {
    id: "megatron-heads",
    judge: ({ engine }, evidence) => {
      const shape = shapeOf(evidence);
      if (shape === null || engine.name !== "megatron") return null;
      if (
        shape.heads % engine.tensor_parallel === 0 &&
        shape.kvHeads % engine.tensor_parallel === 0
      )
        return null;
      return fail(
        "Attention heads do not divide by the trainer's TP",
        `${shape.heads} heads and ${shape.kvHeads} KV heads over ${engine.tensor_parallel}.`,
        {
          fix: set("engine.tensor_parallel", largestDivisor(shape.kvHeads, engine.tensor_parallel)),
        },
      );
    },
  },
  {
    id: "experts-divide",
    judge: ({ engine }, evidence) => {
      const experts = shapeOf(evidence)?.experts;
      if (!experts || experts.count % engine.expert_parallel === 0) return null;
      return fail(
        "Experts do not divide by expert_parallel",
        `${experts.count} experts over ${engine.expert_parallel}.`,
        {
          fix: set("engine.expert_parallel", largestDivisor(experts.count, engine.expert_parallel)),
        },
      );
    },
  },
  {
    id: "experts-world",
    judge: (spec) => {
      const world = trainerWorld(spec);
      const { expert_parallel } = spec.engine;
      if (expert_parallel === 1 || world % expert_parallel === 0) return null;
      return fail(
        "expert_parallel does not divide the trainer's GPUs",
        `${expert_parallel} of ${world}.`,
        { fix: set("engine.expert_parallel", largestDivisor(world, expert_parallel)) },
      );
    },
  },
  {
    id: "experts-engine",
    judge: ({ engine }, evidence) => {
      const experts = shapeOf(evidence)?.experts;
      const isFsdp = engine.name === "fsdp" || engine.name === "fsdp2";
      if (isFsdp && engine.expert_parallel > 1)
        return fail("FSDP knows no expert parallelism", "VeOmni and Megatron do.", {
          fix: set("engine.expert_parallel", 1),
        });
      if (!experts || !isFsdp) return null;
      return warn(
        "A mixture of experts on FSDP",
        `Each of its ${experts.count} experts is gathered by every GPU, and router replay does not exist there. VeOmni or Megatron spread them.`,
        { fix: set("engine.name", "veomni", "Use VeOmni") },
      );
    },
  },
  {
    id: "router-replay-engine",
    judge: ({ engine }) =>
      engine.router_replay !== "disabled" && engine.name !== "veomni" && engine.name !== "megatron"
        ? fail(
            "Router replay wants VeOmni or Megatron",
            `${engine.name} has none; ${engine.router_replay} would be ignored.`,
            { fix: set("engine.router_replay", "disabled", "Turn it off") },
          )
        : null,
  },
  {
    id: "router-replay-dense",
    judge: ({ engine }, evidence) => {
      const shape = shapeOf(evidence);
      if (engine.router_replay === "disabled" || shape === null || shape.experts !== null)
        return null;
      return fail("The model has no router to replay", `${shape.modelType} is dense.`, {
        fix: set("engine.router_replay", "disabled", "Turn it off"),
      });
    },
  },
  {
    id: "router-replay-padding",
    judge: ({ engine, model }) =>
      engine.name === "veomni" && engine.router_replay !== "disabled" && !model.use_remove_padding
        ? fail(
            "Router replay on VeOmni wants sequences without padding",
            "verl refuses it without use_remove_padding.",
            { fix: set("model.use_remove_padding", true, "Remove padding") },
          )
        : null,
  },
  {
    id: "router-replay-bypass",
    judge: ({ engine, algorithm }) =>
      engine.router_replay === "R2" && algorithm.bypass_mode
        ? fail(
            "R2 records where bypass_mode computes nothing",
            "R2 takes the routes of the trainer's own log-prob pass, which bypass_mode leaves out. R3 takes those of the engine.",
            { fix: set("engine.router_replay", "R3", "Use R3") },
          )
        : null,
  },
  {
    id: "router-replay-routes",
    judge: (spec) => {
      const found = readOverride(spec, "actor_rollout_ref.rollout.enable_rollout_routing_replay");
      const { router_replay } = spec.engine;
      if (found === undefined) return null;
      if (router_replay === "R3" && found.value !== true)
        return fail("R3 without the engine's routes", "R3 replays what the engine routed.", {
          fix: set(found.path, true),
        });
      if (router_replay === "R2" && found.value === true)
        return fail(
          "R2 beside the engine's routes",
          "enable_rollout_routing_replay belongs to R3; verl refuses it with R2.",
          { fix: set(found.path, false) },
        );
      return null;
    },
  },
  {
    id: "router-replay-rollout",
    judge: ({ engine, rollout }) =>
      engine.router_replay === "R3" && rollout.name !== "vllm" && rollout.name !== "sglang"
        ? fail(
            "This engine returns no routes",
            `R3 wants vLLM 0.22 or newer; it is ${rollout.name}.`,
            {
              fix: set("rollout.name", "vllm"),
            },
          )
        : null,
  },
  {
    id: "async-save",
    judge: (spec) => {
      const found = readOverride(spec, "actor_rollout_ref.actor.checkpoint.async_save");
      if (found?.value !== true || spec.engine.name === "megatron") return null;
      return fail(
        "async_save loses the checkpoints",
        `On ${spec.engine.name} verl never writes latest_checkpointed_iteration.txt then: a resume starts from zero.`,
        { fix: set(found.path, false) },
      );
    },
  },
];
