import { LRUCache } from "lru-cache";

/** Of text to its ids, bounded to 32 MB: a character counts as one byte and an id as eight. */
export function idsCache(maxEntries: number): LRUCache<string, readonly number[]> {
  return new LRUCache({
    max: maxEntries,
    maxSize: 32 * 1024 * 1024,
    sizeCalculation: (ids, text) => text.length + 8 * ids.length,
  });
}
