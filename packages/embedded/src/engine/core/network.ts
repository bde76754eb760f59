import type { InferenceSession } from "onnxruntime-node";
import type { KvCache } from "#engine/core/kv-cache.ts";
import type { ModelConfig } from "#model/architecture.ts";
import type { Parameters } from "#model/parameters.ts";
import { causalMask } from "#onnx/causal-mask.ts";
import { buildDecodeGraph } from "#onnx/decode-graph.ts";
import {
  type Feeds,
  floatOutput,
  floats,
  longs,
  openSession,
  parameterFeeds,
} from "#onnx/open-session.ts";
import { buildPrefillGraph } from "#onnx/prefill-graph.ts";

export interface Prefilled {
  /** [rows, vocabulary], rows in the order of the sequences and positions that were asked for. */
  logits: Float32Array;
  /** Per layer [sequences, heads, length, head size]. */
  keys: Float32Array[];
  values: Float32Array[];
  length: number;
}

/** The two inference graphs under one set of weights. */
export class Network {
  #weights: Feeds = {};

  private constructor(
    readonly config: ModelConfig,
    readonly prefillSession: InferenceSession,
    readonly decodeSession: InferenceSession,
  ) {}

  static async open(config: ModelConfig, threads: number): Promise<Network> {
    const prefill = await openSession(buildPrefillGraph(config), threads);
    return new Network(config, prefill, await openSession(buildDecodeGraph(config), threads));
  }

  load(parameters: Parameters): void {
    this.#weights = parameterFeeds(parameters);
  }

  /** Runs whole sequences. `wanted[i]` lists the positions of sequence i whose logits are returned. */
  async prefill(
    sequences: readonly (readonly number[])[],
    wanted: readonly (readonly number[])[],
  ): Promise<Prefilled> {
    const step = 8;
    const length = Math.ceil(Math.max(...sequences.map((ids) => ids.length)) / step) * step;
    const count = sequences.length * length;
    const ids = new BigInt64Array(count);
    const previous = new BigInt64Array(count);
    const positions = new BigInt64Array(count);
    const rows: bigint[] = [];
    sequences.forEach((sequence, row) => {
      for (let t = 0; t < length; t++) positions[row * length + t] = BigInt(t);
      sequence.forEach((id, t) => {
        ids[row * length + t] = BigInt(id);
        previous[row * length + t] = t > 0 ? BigInt(sequence[t - 1]) : 0n;
      });
      for (const position of wanted[row]) rows.push(BigInt(row * length + position));
    });
    const shape = [sequences.length, length];
    const outputs = await this.prefillSession.run({
      ...this.#weights,
      ids: longs(ids, shape),
      previous: longs(previous, shape),
      positions: longs(positions, shape),
      mask: floats(causalMask(length), [1, 1, length, length]),
      rows: longs(BigInt64Array.from(rows), [rows.length]),
    });
    const perLayer = (name: string) => this.#perLayer(outputs, name);
    return {
      logits: floatOutput(outputs, "logits"),
      keys: perLayer("keys"),
      values: perLayer("values"),
      length,
    };
  }

  /** One token of each of the first `ids.length` slots; the cache grows by one position each. Logits [slots, vocabulary]. */
  async decode(
    cache: KvCache,
    ids: readonly number[],
    previous: readonly number[],
  ): Promise<Float32Array> {
    const count = ids.length;
    const positions = BigInt64Array.from(ids, (_, slot) => BigInt(cache.lengths[slot]));
    const { heads, size } = cache.shape;
    const feeds: Feeds = {
      ...this.#weights,
      ids: longs(BigInt64Array.from(ids, BigInt), [count]),
      previous: longs(BigInt64Array.from(previous, BigInt), [count]),
      positions: longs(positions, [count, 1]),
      bias: floats(cache.bias.subarray(0, count * cache.capacity), [count, 1, 1, cache.capacity]),
    };
    const shape = [count, heads, cache.capacity, size];
    for (let layer = 0; layer < this.config.num_hidden_layers; layer++) {
      feeds[`keys.${layer}`] = floats(cache.feedSlice(cache.keys[layer], count), shape);
      feeds[`values.${layer}`] = floats(cache.feedSlice(cache.values[layer], count), shape);
    }
    const outputs = await this.decodeSession.run(feeds);
    cache.append(count, this.#perLayer(outputs, "new.keys"), this.#perLayer(outputs, "new.values"));
    return floatOutput(outputs, "logits");
  }

  #perLayer(outputs: InferenceSession.OnnxValueMapType, name: string): Float32Array[] {
    return Array.from({ length: this.config.num_hidden_layers }, (_, layer) =>
      floatOutput(outputs, `${name}.${layer}`),
    );
  }
}
