import type { ModelConfig } from "#model/architecture.ts";

/** Keys and values of one sequence: per layer [heads, length, head size]. */
export interface StoredPrefix {
  keys: Float32Array[];
  values: Float32Array[];
  length: number;
}

/** Attention never looks where the bias is this. */
const HIDDEN = -1e9;

/**
 * Caches of the sequences that are running, packed into slots 0 … n−1. All slots have the same capacity of positions,
 * which grows and shrinks with the longest sequence: the decode graph reads the whole of it on every step.
 */
export class KvCache {
  readonly #layers: number;
  readonly #heads: number;
  readonly #size: number;
  readonly #limit: number;
  readonly slots: number;
  capacity = 0;
  keys: Float32Array[] = [];
  values: Float32Array[] = [];
  bias = new Float32Array();
  readonly lengths: Int32Array;

  constructor(config: ModelConfig, slots: number) {
    this.#layers = config.num_hidden_layers;
    this.#heads = config.num_attention_heads;
    this.#size = config.hidden_size / config.num_attention_heads;
    this.#limit = config.max_position_embeddings;
    this.slots = slots;
    this.lengths = new Int32Array(slots);
    this.reserve(64, 0);
  }

  /** Numbers in one slot of one layer. */
  #slotSize(capacity = this.capacity): number {
    return this.#heads * capacity * this.#size;
  }

  /** Makes room for `positions` in every slot; the first `used` slots keep their content. */
  reserve(positions: number, used: number): void {
    if (positions <= this.capacity) return;
    const step = 32;
    const capacity = Math.min(this.#limit, Math.ceil(positions / step) * step);
    const before = {
      capacity: this.capacity,
      keys: this.keys,
      values: this.values,
      bias: this.bias,
    };
    const blank = () => new Float32Array(this.slots * this.#slotSize(capacity));
    this.keys = Array.from({ length: this.#layers }, blank);
    this.values = Array.from({ length: this.#layers }, blank);
    this.bias = new Float32Array(this.slots * capacity).fill(HIDDEN);
    this.capacity = capacity;
    for (let slot = 0; slot < used; slot++) {
      this.bias.fill(0, slot * capacity, slot * capacity + this.lengths[slot]);
      for (let head = 0; head < this.#heads; head++) {
        const from = (slot * this.#heads + head) * before.capacity * this.#size;
        const to = (slot * this.#heads + head) * capacity * this.#size;
        const count = this.lengths[slot] * this.#size;
        for (let layer = 0; layer < this.#layers; layer++) {
          this.keys[layer].set(before.keys[layer].subarray(from, from + count), to);
          this.values[layer].set(before.values[layer].subarray(from, from + count), to);
        }
      }
    }
  }

  clear(slot: number): void {
    this.lengths[slot] = 0;
    this.bias.fill(HIDDEN, slot * this.capacity, (slot + 1) * this.capacity);
  }

  /** Writes `length` positions from tensors [rows, heads, width, head size], row `row`, to the slot's start. */
  load(
    slot: number,
    from: { keys: Float32Array[]; values: Float32Array[] },
    row: number,
    width: number,
    length: number,
  ): void {
    this.clear(slot);
    const count = length * this.#size;
    for (let head = 0; head < this.#heads; head++) {
      const source = (row * this.#heads + head) * width * this.#size;
      const target = (slot * this.#heads + head) * this.capacity * this.#size;
      for (let layer = 0; layer < this.#layers; layer++) {
        this.keys[layer].set(from.keys[layer].subarray(source, source + count), target);
        this.values[layer].set(from.values[layer].subarray(source, source + count), target);
      }
    }
    this.lengths[slot] = length;
    this.bias.fill(0, slot * this.capacity, slot * this.capacity + length);
  }

  /** Appends one position to each of the first `count` slots: per layer [count, heads, 1, head size]. */
  append(count: number, newKeys: Float32Array[], newValues: Float32Array[]): void {
    const size = this.#size;
    for (let slot = 0; slot < count; slot++) {
      const at = this.lengths[slot];
      for (let head = 0; head < this.#heads; head++) {
        const source = (slot * this.#heads + head) * size;
        const target = ((slot * this.#heads + head) * this.capacity + at) * size;
        for (let layer = 0; layer < this.#layers; layer++) {
          for (let i = 0; i < size; i++) {
            this.keys[layer][target + i] = newKeys[layer][source + i];
            this.values[layer][target + i] = newValues[layer][source + i];
          }
        }
      }
      this.bias[slot * this.capacity + at] = 0;
      this.lengths[slot] = at + 1;
    }
  }

  /** A copy of the slot's first `length` positions. */
  store(slot: number, length = this.lengths[slot]): StoredPrefix {
    const copy = (layers: Float32Array[]) =>
      layers.map((all) => {
        const kept = new Float32Array(this.#heads * length * this.#size);
        for (let head = 0; head < this.#heads; head++) {
          const source = (slot * this.#heads + head) * this.capacity * this.#size;
          kept.set(all.subarray(source, source + length * this.#size), head * length * this.#size);
        }
        return kept;
      });
    return { keys: copy(this.keys), values: copy(this.values), length };
  }

  /** Moves a slot's content into a freed one. */
  move(from: number, to: number): void {
    if (from === to) return;
    const size = this.#slotSize();
    for (const all of [...this.keys, ...this.values])
      all.copyWithin(to * size, from * size, (from + 1) * size);
    this.bias.copyWithin(to * this.capacity, from * this.capacity, (from + 1) * this.capacity);
    this.lengths[to] = this.lengths[from];
  }

  feedSlice(all: Float32Array, count: number): Float32Array {
    return all.subarray(0, count * this.#slotSize());
  }

  get shape(): { heads: number; size: number } {
    return { heads: this.#heads, size: this.#size };
  }
}
