interface Limits<V> {
  maxEntries: number;
  /** Of all entries together: characters of the keys, and what the values weigh. */
  maxWeight: number;
  weigh: (value: V) => number;
}

/** Of text to its ids: 64 MB, with a character as one byte and an id as eight. */
export const IDS_CACHE = {
  maxWeight: 64 * 1024 * 1024,
  weigh: (ids: readonly number[]) => 8 * ids.length,
};

/** Least-recently-used map of bounded memory. */
export class Lru<V> {
  readonly #entries = new Map<string, V>();
  readonly #limits: Limits<V>;
  #weight = 0;

  constructor(limits: Limits<V>) {
    this.#limits = limits;
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#drop(key);
    this.#entries.set(key, value);
    this.#weight += this.#weightOf(key, value);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#limits.maxEntries && this.#weight <= this.#limits.maxWeight)
        return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#weightOf(key, value);
  }

  #weightOf(key: string, value: V): number {
    return key.length + this.#limits.weigh(value);
  }
}
