import { createHash } from "node:crypto";
import { parameterShapes } from "@liverl/contract/embedded-policy";
import { Random } from "@liverl/contract/random";
import type { ModelConfig } from "#model/architecture.ts";

export interface Parameter {
  values: Float32Array;
  shape: number[];
}
/** Parameters by name, in the order of {@link parameterShapes}. */
export type Parameters = Map<string, Parameter>;

/** Normal deviates by Box and Muller. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(random.next() + 1e-12)) * Math.cos(2 * Math.PI * random.next());
}

function scaleOf(name: string, config: ModelConfig): number {
  const residual = Math.sqrt(2 * config.num_hidden_layers);
  if (name.startsWith("embed_")) return 0.5;
  // A small head starts from a nearly even distribution over the vocabulary.
  if (name === "lm_head") return 0.02;
  if (name.endsWith("attention_out")) return 1 / Math.sqrt(config.hidden_size) / residual;
  if (name.endsWith("mlp_out")) return 1 / Math.sqrt(config.intermediate_size) / residual;
  return 1 / Math.sqrt(config.hidden_size);
}

export function initialParameters(config: ModelConfig, seed: number): Parameters {
  const random = new Random(seed);
  return new Map(
    parameterShapes(config).map(({ name, shape }) => [
      name,
      name.endsWith("norm")
        ? { values: new Float32Array(shape.reduce((a, b) => a * b, 1)).fill(1), shape }
        : initialTensor(shape, scaleOf(name, config), random),
    ]),
  );
}

/** Normal deviates times `scale`. */
export function initialTensor(shape: number[], scale: number, random: Random): Parameter {
  const values = new Float32Array(shape.reduce((a, b) => a * b, 1));
  for (let i = 0; i < values.length; i++) values[i] = normal(random) * scale;
  return { values, shape };
}

export function copyParameters(parameters: Parameters): Parameters {
  return new Map(
    [...parameters].map(([name, { values, shape }]) => [name, { values: values.slice(), shape }]),
  );
}

export function zerosLike(parameters: Parameters): Parameters {
  return new Map(
    [...parameters].map(([name, { values, shape }]) => [
      name,
      { values: new Float32Array(values.length), shape },
    ]),
  );
}

/** SHA-256 over names, shapes and bytes in order. */
export function hashParameters(...sets: Parameters[]): string {
  const digest = createHash("sha256");
  for (const parameters of sets) {
    for (const [name, { values, shape }] of parameters) {
      digest.update(`${name}:${shape.join("x")};`);
      digest.update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    }
  }
  return digest.digest("hex");
}
