import { expect, test } from "vitest";
import { estimateVerlMemory } from "#launch/estimate-verl-memory.ts";
import { LOCAL_VERL_DEFAULTS } from "#launch/verl-defaults.ts";
import { countParameters } from "#launch/verl-evidence/count-parameters.ts";
import { DENSE_SHAPE, MOE_SHAPE } from "#testing/seen-evidence.ts";

test("parameters come to what the model cards say", () => {
  expect(countParameters(DENSE_SHAPE).total / 1e9).toBeCloseTo(7.6, 1);
  const moe = countParameters(MOE_SHAPE);
  expect(moe.total / 1e9).toBeCloseTo(30.5, 1);
  expect(moe.active / 1e9).toBeCloseTo(3.35, 1);
});

const spec = {
  ...LOCAL_VERL_DEFAULTS,
  batch: { ...LOCAL_VERL_DEFAULTS.batch, use_dynamic_bsz: true },
};
const of = (parts: { label: string; mb: number }[], label: string) =>
  parts.find((part) => part.label === label)?.mb;

test("16 bytes a parameter over the FSDP group, and two layers in bf16", () => {
  const { trainer } = estimateVerlMemory(spec, DENSE_SHAPE, 8e9, null);
  expect(of(trainer, "gradients")).toBe(4000);
  expect(of(trainer, "Adam")).toBe(8000);
  const layer = (8e9 - 2 * 152_064 * 3584) / 28;
  expect(of(trainer, "weights")).toBe(Math.round((4e9 + 4 * layer) / 1e6));
  expect(of(trainer, "logits")).toBe(Math.round((16_384 * 152_064 * 4) / 1e6));
});

test("Megatron shards Adam over the data-parallel ranks", () => {
  const megatron = {
    ...spec,
    engine: { ...spec.engine, name: "megatron" as const, tensor_parallel: 4 },
  };
  const { trainer } = estimateVerlMemory(megatron, DENSE_SHAPE, 8e9, null);
  expect(of(trainer, "weights")).toBe(4000);
  expect(of(trainer, "gradients")).toBe(8000);
  expect(of(trainer, "Adam")).toBe(12_000);
});

test("a token's cache is that of the layers that have one", () => {
  // 28 layers x 4 KV heads x 128 x 2 (K and V) x 2 bytes = 57 344 bytes, as vLLM reports for Qwen2.5-7B.
  const dense = estimateVerlMemory(spec, DENSE_SHAPE, 8e9, 80_000);
  expect(dense.kvBytesPerToken).toBe(57_344);
  expect(of(dense.rollout, "weights")).toBe(8000);
  expect(of(dense.rollout, "KV cache")).toBe(32_000);
  const hybrid = estimateVerlMemory(spec, { ...DENSE_SHAPE, attentionLayers: 7 }, 8e9, null);
  expect(hybrid.kvBytesPerToken).toBe(14_336);
  expect(of(hybrid.rollout, "KV cache of one window")).toBe(Math.round((1024 * 14_336) / 2 / 1e6));
});

test("what is offloaded does not stay while engines sample, and separate engines have no trainer beside them", () => {
  const engine = { ...spec.engine, optimizer_offload: true, param_offload: true };
  const stays = (changed: typeof spec) =>
    of(estimateVerlMemory(changed, DENSE_SHAPE, 8e9, 80_000).rollout, "trainer");
  expect(stays(spec)).toBeGreaterThan(16_000);
  expect(stays({ ...spec, engine })).toBeUndefined();
  expect(
    stays({ ...spec, algorithm: { ...spec.algorithm, trainer_mode: "fully_async" } }),
  ).toBeUndefined();
});
