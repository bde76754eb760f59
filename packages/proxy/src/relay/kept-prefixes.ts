import { LRUCache } from "lru-cache";

/** Ids of sessions that either side keeps: 8 bytes each in memory. */
const MAX_KEPT_IDS = 8_000_000;

/** What each session's last request left: its prompt and what was sampled. */
export class KeptPrefixes {
  readonly #held = new LRUCache<string, readonly number[]>({
    maxSize: MAX_KEPT_IDS,
    sizeCalculation: (ids) => ids.length + 1,
  });

  get(session: string): readonly number[] {
    return this.#held.get(session) ?? [];
  }

  keep(session: string, ids: readonly number[]): void {
    this.#held.set(session, ids);
  }

  forget(session: string): void {
    this.#held.delete(session);
  }
}

/** How many ids two sequences share at their start. */
export function sharedLength(a: readonly number[], b: readonly number[]): number {
  const end = Math.min(a.length, b.length);
  let length = 0;
  while (length < end && a[length] === b[length]) length++;
  return length;
}
