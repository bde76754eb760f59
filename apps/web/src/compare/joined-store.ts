import type { MetricStore, SeriesStore, StepRange } from "#charts/metric-store.ts";

/** A run's series among those of others. Run ids have no colon. */
export const joinedKey = (runId: string, key: string) => `${runId}:${key}`;

/** The way back from a `joinedKey`. */
export function sourceOfJoined(joined: string): { runId: string; key: string } {
  const cut = joined.indexOf(":");
  return { runId: joined.slice(0, cut), key: joined.slice(cut + 1) };
}

/** Series of several runs as one store, each by its `joinedKey`. */
export class JoinedStore implements SeriesStore {
  readonly #stores: ReadonlyMap<string, MetricStore>;

  constructor(stores: ReadonlyMap<string, MetricStore>) {
    this.#stores = stores;
  }

  get extent(): StepRange | null {
    const extents = [...this.#stores.values()].flatMap(({ extent }) =>
      extent === null ? [] : [extent],
    );
    if (extents.length === 0) return null;
    return [
      Math.min(...extents.map(([first]) => first)),
      Math.max(...extents.map(([, last]) => last)),
    ];
  }

  get firstWallMs(): number | null {
    const first = [...this.#stores.values()].flatMap((store) => store.firstWallMs ?? []);
    return first.length === 0 ? null : Math.min(...first);
  }

  longest() {
    const all = [...this.#stores.values()].flatMap((store) => store.longest() ?? []);
    return all.sort((a, b) => b.length - a.length)[0] ?? null;
  }

  columns(joined: string) {
    const { store, key } = this.#find(joined);
    return store?.columns(key) ?? null;
  }

  status(joined: string) {
    const { store, key } = this.#find(joined);
    return store?.status(key) ?? "absent";
  }

  error(joined: string): unknown {
    const { store, key } = this.#find(joined);
    return store?.error(key) ?? null;
  }

  version(joined: readonly string[]): number {
    let sum = 0;
    for (const one of joined) {
      const { store, key } = this.#find(one);
      sum += store?.version([key]) ?? 0;
    }
    return sum;
  }

  load(joined: readonly string[]): void {
    for (const [store, keys] of this.#byStore(joined)) store.load(keys);
  }

  watch(joined: readonly string[], listener: () => void): () => void {
    const stops = [...this.#byStore(joined)].map(([store, keys]) => store.watch(keys, listener));
    return () => {
      for (const stop of stops) stop();
    };
  }

  retry(joined: Iterable<string>): void {
    for (const [store, keys] of this.#byStore(joined)) store.retry(keys);
  }

  setRange(range: StepRange | null): void {
    for (const store of this.#stores.values()) store.setRange(range);
  }

  #byStore(joined: Iterable<string>): Map<MetricStore, string[]> {
    const keys = new Map<MetricStore, string[]>();
    for (const one of joined) {
      const { store, key } = this.#find(one);
      if (store) keys.set(store, [...(keys.get(store) ?? []), key]);
    }
    return keys;
  }

  #find(joined: string): { store: MetricStore | undefined; key: string } {
    const { runId, key } = sourceOfJoined(joined);
    return { store: this.#stores.get(runId), key };
  }
}
