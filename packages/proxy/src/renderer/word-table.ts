import { randomInt } from "node:crypto";

/** At most so many words in a generation, half of its slots. */
const WORDS = 65_536;
const SLOTS = WORDS * 2;
const FIRST_POOL = 1 << 16;
const LARGEST_POOL = 1 << 21;
/** Before a word's characters: its hash, its length, the number of its ids. */
const HEAD = 3;

interface Generation {
  /** Where the word's record begins in the pool; 0 where there is none. */
  slots: Int32Array;
  /** Records, one after the other: head, UTF-16 units, ids. */
  pool: Int32Array;
  end: number;
  words: number;
}

const newGeneration = (): Generation => ({
  slots: new Int32Array(SLOTS),
  pool: new Int32Array(FIRST_POOL),
  end: 1,
  words: 0,
});

/**
 * Token ids by word, looked up in the text where the word stands: no string is made for it, and what is read lies together. Two
 * generations: when the new one is full it becomes the old one, and what nobody asks for is gone.
 */
export class WordTable {
  #new = newGeneration();
  #old = newGeneration();

  /** Appends the ids of the word `units[from, to)` to `ids`; false where it is not known. */
  pushIds(units: Uint16Array, from: number, to: number, ids: number[]): boolean {
    const hash = hashOf(units, from, to);
    const at = find(this.#new, hash, units, from, to);
    if (at > 0) {
      pushFrom(this.#new, at, ids);
      return true;
    }
    const old = find(this.#old, hash, units, from, to);
    if (old === 0) return false;
    const first = ids.length;
    pushFrom(this.#old, old, ids);
    this.add(units, from, to, ids.slice(first));
    return true;
  }

  /** Of a word that is not known yet. */
  add(units: Uint16Array, from: number, to: number, ids: readonly number[]): void {
    const generation = this.#roomFor(HEAD + to - from + ids.length);
    const { slots, pool } = generation;
    const hash = hashOf(units, from, to);
    let slot = hash & (SLOTS - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
    slots[slot] = generation.end;
    let at = generation.end;
    pool[at++] = hash;
    pool[at++] = to - from;
    pool[at++] = ids.length;
    for (let i = from; i < to; i++) pool[at++] = units[i] ?? 0;
    for (const id of ids) pool[at++] = id;
    generation.end = at;
    generation.words += 1;
  }

  #roomFor(length: number): Generation {
    const { words, end, pool } = this.#new;
    if (words >= WORDS || end + length > LARGEST_POOL) {
      this.#old = this.#new;
      this.#new = newGeneration();
    } else if (end + length > pool.length) {
      this.#new.pool = new Int32Array(pool.length * 2);
      this.#new.pool.set(pool);
    }
    return this.#new;
  }
}

/** Drawn for this process: words that are made to fall on one slot would need to know it. */
const MULTIPLIER = randomInt(2 ** 30) * 4 + 3;

function hashOf(units: Uint16Array, from: number, to: number): number {
  let hash = to - from;
  for (let i = from; i < to; i++) hash = (Math.imul(hash, MULTIPLIER) + (units[i] ?? 0)) | 0;
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

/** Where the word's record begins; 0 where there is none. */
function find(
  { slots, pool }: Generation,
  hash: number,
  units: Uint16Array,
  from: number,
  to: number,
): number {
  const length = to - from;
  for (let slot = hash & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
    const at = slots[slot] ?? 0;
    if (at === 0) return 0;
    if (pool[at] !== hash || pool[at + 1] !== length) continue;
    let same = 0;
    while (same < length && pool[at + HEAD + same] === units[from + same]) same += 1;
    if (same === length) return at;
  }
}

function pushFrom({ pool }: Generation, at: number, ids: number[]): void {
  const first = at + HEAD + (pool[at + 1] ?? 0);
  const end = first + (pool[at + 2] ?? 0);
  for (let i = first; i < end; i++) ids.push(pool[i] ?? -1);
}
