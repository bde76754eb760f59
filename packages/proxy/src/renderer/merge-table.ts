/** Below this many symbols to look at each pair again is cheaper than to keep a heap. */
const FEW = 48;
const HASH = 0x9e3779b1;
const NONE = -1;

/** The merges of a BPE by pair, in an open-addressing table: a vocabulary has some hundred thousand of them. */
export class MergeTable {
  readonly #mask: number;
  readonly #left: Int32Array;
  readonly #right: Int32Array;
  readonly #rank: Int32Array;
  readonly #result: Int32Array;

  /** `merges`: `[left id, right id, id of both]` in order of their rank. */
  constructor(merges: readonly (readonly [left: number, right: number, result: number])[]) {
    const size = 2 ** Math.ceil(Math.log2(merges.length * 2 + 2));
    this.#mask = size - 1;
    this.#left = new Int32Array(size).fill(NONE);
    this.#right = new Int32Array(size);
    this.#rank = new Int32Array(size);
    this.#result = new Int32Array(size);
    for (const [rank, [left, right, result]] of merges.entries()) {
      const slot = this.#slotOf(left, right);
      // As in a map that is filled in order: of two merges of one pair the later one stands.
      this.#left[slot] = left;
      this.#right[slot] = right;
      this.#rank[slot] = rank;
      this.#result[slot] = result;
    }
  }

  /** Where the pair stands, or the free place where it would. */
  #slotOf(left: number, right: number): number {
    let slot = (Math.imul(left, HASH) ^ Math.imul(right + 1, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & this.#mask;
    while (this.#left[slot] !== NONE && (this.#left[slot] !== left || this.#right[slot] !== right))
      slot = (slot + 1) & this.#mask;
    return slot;
  }

  /** Where the pair's merge stands; NONE where there is none, as for a symbol that is no more. */
  #find(left: number | undefined, right: number | undefined): number {
    const slot = this.#slotOf(left ?? NONE, right ?? NONE);
    return this.#left[slot] === NONE ? NONE : slot;
  }

  /** Merges the pair of the lowest rank, of equals the leftmost, until there is none. Changes and returns `symbols`. */
  apply(symbols: number[]): number[] {
    return symbols.length < FEW ? this.#applyByScan(symbols) : this.#applyByHeap(symbols);
  }

  #applyByScan(symbols: number[]): number[] {
    for (;;) {
      let best = Number.MAX_SAFE_INTEGER;
      let bestAt = NONE;
      for (let at = 0; at + 1 < symbols.length; at++) {
        const slot = this.#find(symbols[at], symbols[at + 1]);
        const rank = this.#rank[slot] ?? best;
        if (rank >= best) continue;
        best = rank;
        bestAt = at;
      }
      if (bestAt === NONE) return symbols;
      symbols[bestAt] = this.#result[this.#find(symbols[bestAt], symbols[bestAt + 1])] ?? NONE;
      symbols.splice(bestAt + 1, 1);
    }
  }

  /** The same in n log n: a linked list of symbols, and a heap of pairs of which some are out of date. */
  #applyByHeap(symbols: number[]): number[] {
    const count = symbols.length;
    const next = Int32Array.from({ length: count }, (_, i) => (i + 1 < count ? i + 1 : NONE));
    const previous = Int32Array.from({ length: count }, (_, i) => i - 1);
    const heap = new PairHeap();
    const find = (at: number) => this.#find(symbols[at], symbols[next[at] ?? NONE]);
    const offer = (at: number) => {
      const slot = find(at);
      if (slot !== NONE) heap.push((this.#rank[slot] ?? 0) * count + at);
    };
    for (let at = 0; at < count; at++) offer(at);
    for (let top = heap.pop(); top !== undefined; top = heap.pop()) {
      const at = top % count;
      const slot = find(at);
      // One of the two may have become another symbol meanwhile, or have gone into one.
      if (this.#rank[slot] !== Math.floor(top / count)) continue;
      const after = next[at] ?? NONE;
      const beyond = next[after] ?? NONE;
      symbols[at] = this.#result[slot] ?? NONE;
      symbols[after] = NONE;
      next[at] = beyond;
      if (beyond !== NONE) previous[beyond] = at;
      offer(at);
      offer(previous[at] ?? NONE);
    }
    return symbols.filter((symbol) => symbol !== NONE);
  }
}

/** A binary heap of numbers, the smallest first. */
class PairHeap {
  readonly #keys: number[] = [];

  push(key: number): void {
    const keys = this.#keys;
    let at = keys.push(key) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const held = keys[above] ?? 0;
      if (held <= key) break;
      keys[at] = held;
      at = above;
    }
    keys[at] = key;
  }

  pop(): number | undefined {
    const keys = this.#keys;
    const top = keys[0];
    const last = keys.pop();
    if (last === undefined || keys.length === 0) return top;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= keys.length) break;
      if ((keys[below + 1] ?? Number.POSITIVE_INFINITY) < (keys[below] ?? 0)) below += 1;
      const held = keys[below] ?? 0;
      if (held >= last) break;
      keys[at] = held;
      at = below;
    }
    keys[at] = last;
    return top;
  }
}
