import type { LeaseRequest } from "@liverl/contract/lease";
import type { JoinedRunner } from "@liverl/contract/sandbox";
import type { OpenLease } from "#leases/open-lease.ts";

/** Where an attempt runs: in this process, or at a joined runner that waits for its lease. */
export type Place =
  | { kind: "here"; leave(): void }
  | {
      kind: "joined";
      runner: string;
      /** False where it has given up waiting. Null: there is none for it after all. */
      hand(lease: OpenLease | null): boolean;
    };

/** Nothing was heard of a runner for so long: what it had is over. */
const FORGET_MS = 60_000;

/**
 * Brings attempts and room for them together. A joined runner that asks goes first, whoever has asked longest; then this
 * process, up to `here`; then an attempt waits.
 */
export class Places {
  readonly #here: number;
  #runningHere = 0;
  readonly #waiting: ((place: Place) => void)[] = [];
  readonly #asking: Extract<Place, { kind: "joined" }>[] = [];
  readonly #runners = new Map<string, Omit<JoinedRunner, "trials">>();

  constructor({ here }: { here: number }) {
    this.#here = here;
  }

  /** For an attempt. Throws the signal's reason. */
  async find(signal: AbortSignal): Promise<Place> {
    signal.throwIfAborted();
    const asking = this.#asking.shift();
    if (asking) return asking;
    if (this.#runningHere < this.#here) return this.#enter();
    return await new Promise((resolve, reject) => {
      const take = (place: Place) => {
        signal.removeEventListener("abort", stop);
        resolve(place);
      };
      const stop = () => {
        remove(this.#waiting, take);
        reject(signal.reason);
      };
      signal.addEventListener("abort", stop, { once: true });
      this.#waiting.push(take);
    });
  }

  /** For a joined runner: a lease; null after `waitMs`, or when the signal aborts. */
  async ask(request: LeaseRequest, waitMs: number, signal: AbortSignal): Promise<OpenLease | null> {
    const { runner, ...about } = request;
    this.#runners.set(runner, { name: runner, ...about, heardAt: new Date().toISOString() });
    if (signal.aborted) return null;
    return await new Promise((resolve) => {
      let isOver = false;
      const settle = (lease: OpenLease | null) => {
        if (isOver) return false;
        isOver = true;
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        remove(this.#asking, place);
        resolve(lease);
        return true;
      };
      const stop = () => settle(null);
      const place = { kind: "joined", runner, hand: settle } as const;
      const timer = setTimeout(stop, waitMs);
      signal.addEventListener("abort", stop, { once: true });
      const next = this.#waiting.shift();
      if (next) next(place);
      else this.#asking.push(place);
    });
  }

  /** A joined runner is there. */
  hear(runner: string): void {
    const known = this.#runners.get(runner);
    if (known) known.heardAt = new Date().toISOString();
  }

  /** Joined, and heard of lately; by name. */
  runners(): Omit<JoinedRunner, "trials">[] {
    const since = new Date(Date.now() - FORGET_MS).toISOString();
    for (const [name, { heardAt }] of this.#runners)
      if (heardAt < since) this.#runners.delete(name);
    return [...this.#runners.values()].sort((a, b) => a.name.localeCompare(b.name));
  }

  #enter(): Place {
    this.#runningHere++;
    let isIn = true;
    return {
      kind: "here",
      leave: () => {
        if (!isIn) return;
        isIn = false;
        this.#runningHere--;
        this.#waiting.shift()?.(this.#enter());
      },
    };
  }
}

function remove<T>(list: T[], item: T): void {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}
