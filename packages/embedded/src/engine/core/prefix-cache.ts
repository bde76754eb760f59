import type { StoredPrefix } from "#engine/core/kv-cache.ts";

interface Entry {
  salt: string;
  ids: readonly number[];
  stored: StoredPrefix;
}

/** Keys and values of finished sequences and prefilled prompts, least recently used first out. */
export class PrefixCache {
  readonly #entries = new Map<string, Entry>();
  readonly #limit: number;
  /** Tokens that were looked up and tokens that were found: vLLM counts both. */
  queries = 0;
  hits = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Keeps a sequence; `ids` are the tokens of `stored`, in order. */
  add(salt: string, ids: readonly number[], stored: StoredPrefix): void {
    const key = `${salt}\n${ids.join(",")}`;
    this.#entries.delete(key);
    this.#entries.set(key, { salt, ids, stored });
    if (this.#entries.size > this.#limit) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
  }

  /** The stored sequence that shares the longest start with `ids`, at most `limit` tokens of it. */
  find(
    salt: string,
    ids: readonly number[],
    limit: number,
  ): { stored: StoredPrefix; length: number } | null {
    let best: { key: string; entry: Entry; length: number } | null = null;
    for (const [key, entry] of this.#entries) {
      if (entry.salt !== salt) continue;
      const length = sharedLength(entry.ids, ids, limit);
      if (length > (best?.length ?? 0)) best = { key, entry, length };
    }
    if (!best) return null;
    this.#entries.delete(best.key);
    this.#entries.set(best.key, best.entry);
    return { stored: best.entry.stored, length: best.length };
  }

  count(queried: number, found: number): void {
    this.queries += queried;
    this.hits += found;
  }

  clear(): void {
    this.#entries.clear();
  }
}

function sharedLength(a: readonly number[], b: readonly number[], limit: number): number {
  const end = Math.min(a.length, b.length, limit);
  let length = 0;
  while (length < end && a[length] === b[length]) length++;
  return length;
}
