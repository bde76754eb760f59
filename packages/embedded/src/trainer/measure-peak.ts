import { setTimeout as pause } from "node:timers/promises";
import type { ModelConfig } from "#model/architecture.ts";
import { GraphBuilder } from "#onnx/graph-builder.ts";
import { floats, openSession } from "#onnx/open-session.ts";

const SIZE = 384;
/** Two products take a few milliseconds: less than the slice of time that a busy machine gives. */
const CHAIN = 2;
const BURSTS = 10;
const ROUNDS = 8;
/** Between bursts, so that not all of them meet the same load. */
const PAUSE_MS = 40;

/**
 * The most floating-point operations per second that this runtime does with these threads, as far as was seen: of large matrix
 * products before training, or of an update that was faster. A machine that is busy slows them, and none makes them faster.
 */
export class PeakFlops {
  #perSecond: number;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  get perSecond(): number {
    return this.#perSecond;
  }

  /** What share of the peak a rate is; a rate above it is the new peak. */
  shareOf(perSecond: number): number {
    this.#perSecond = Math.max(this.#perSecond, perSecond);
    return perSecond / this.#perSecond;
  }
}

export async function measurePeak(threads: number): Promise<PeakFlops> {
  const g = new GraphBuilder();
  let x = g.input("x", "float32", [SIZE, SIZE]);
  const w = g.input("w", "float32", [SIZE, SIZE]);
  for (let i = 0; i < CHAIN; i++) x = g.operator("MatMul", [x, w]);
  g.output(g.operator("ReduceMax", [x], { keepdims: 0 }), "top", "float32", []);
  const session = await openSession(g.build(), threads);
  const feeds = {
    x: floats(new Float32Array(SIZE * SIZE).fill(0.01), [SIZE, SIZE]),
    w: floats(new Float32Array(SIZE * SIZE).fill(0.002), [SIZE, SIZE]),
  };
  let bestSeconds = Number.POSITIVE_INFINITY;
  for (let burst = 0; burst < BURSTS; burst++) {
    if (burst > 0) await pause(PAUSE_MS);
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      await session.run(feeds);
      bestSeconds = Math.min(bestSeconds, (performance.now() - began) / 1000);
    }
  }
  await session.release();
  return new PeakFlops((CHAIN * 2 * SIZE ** 3) / bestSeconds);
}

interface BatchShape {
  sequences: number;
  length: number;
  rows: number;
}

/** Operations of the matrix products of forward and backward passes over batches of these shapes, padding included. */
export function countTrainingFlops(shapes: readonly BatchShape[], config: ModelConfig): number {
  const { hidden_size: d, intermediate_size: f, num_hidden_layers: layers, vocab_size: v } = config;
  const perToken = layers * 2 * (3 * d * d + d * d + 2 * d * f);
  let forward = 0;
  for (const { sequences, length, rows } of shapes) {
    // Scores and mixing: each query against every position of the padded square.
    const attention = layers * 2 * 2 * length * length * d * sequences;
    forward += sequences * length * perToken + attention + rows * 2 * d * v;
  }
  // The backward pass has two products for each one of the forward pass.
  return 3 * forward;
}
