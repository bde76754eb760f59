import { KvCache } from "#engine/core/kv-cache.ts";
import type { Network } from "#engine/core/network.ts";
import { PrefixCache } from "#engine/core/prefix-cache.ts";
import { scoreToken } from "#engine/core/sample-token.ts";
import { type FinishedJob, type GenerateJob, Sequence } from "#engine/core/sequence.ts";
import type { Parameters } from "#model/parameters.ts";

/** What happens to running requests when the engine pauses or takes new weights: vLLM's modes. */
export type InterruptMode = "abort" | "keep" | "wait";

export interface EngineLimits {
  /** Sequences that run at once. */
  slots: number;
  /** Sequences whose keys and values are kept after their end. */
  cachedPrefixes: number;
}

/** A rest of the prompt this short is fed through decode steps; a longer one is prefilled whole. */
const SHORT_REST = 24;
const PREFILL_BATCH = 16;

/**
 * Continuous batching: requests join and leave between decode steps. All state changes happen at those boundaries, in
 * one loop, so that nothing needs a lock.
 */
export class EngineCore {
  readonly cache: PrefixCache;
  readonly #slots: KvCache;
  readonly #running: Sequence[] = [];
  #waiting: Sequence[] = [];
  #boundaryWork: (() => Promise<void> | void)[] = [];
  #isLooping = false;
  #isPaused = false;
  #isFrozen = false;
  /** Waits for running requests to end before new weights. */
  #isDraining = false;
  #idleWaiters: (() => void)[] = [];
  #version: number | null = null;
  promptTokens = 0;
  sampledTokens = 0;
  readonly finished: Record<string, number> = { stop: 0, length: 0, abort: 0 };
  /** Called with the seconds that a request waited for its first step. */
  onAdmitted: (seconds: number) => void = () => {};

  constructor(
    readonly network: Network,
    readonly limits: EngineLimits,
  ) {
    this.cache = new PrefixCache(limits.cachedPrefixes);
    this.#slots = new KvCache(network.config, limits.slots);
  }

  /** Number of the weights in use; null before the first ones. */
  get version(): number | null {
    return this.#version;
  }
  get runningCount(): number {
    return this.#running.length;
  }
  get waitingCount(): number {
    return this.#waiting.length;
  }
  get isPaused(): boolean {
    return this.#isPaused;
  }
  /** Share of cache positions in use by running sequences. */
  get cacheUsage(): number {
    let used = 0;
    for (let slot = 0; slot < this.#running.length; slot++) used += this.#slots.lengths[slot];
    return used / (this.limits.slots * this.network.config.max_position_embeddings);
  }

  /** Queues a request. `done` never rejects for an abort: it gives what was sampled so far. */
  submit(job: GenerateJob): { done: Promise<FinishedJob>; abort: () => void } {
    let sequence: Sequence | null = null;
    const done = new Promise<FinishedJob>((resolve) => {
      sequence = new Sequence(job, resolve);
      this.#waiting.push(sequence);
    });
    this.#wake();
    return { done, abort: () => sequence && this.#abort([sequence]) };
  }

  abortRequests(matches: (job: GenerateJob) => boolean): number {
    const chosen = [...this.#running, ...this.#waiting].filter((sequence) => matches(sequence.job));
    this.#abort(chosen);
    return chosen.length;
  }

  #abort(chosen: readonly Sequence[]): void {
    void this.#atBoundary(() => {
      for (const sequence of chosen) {
        if (sequence.finishReason) continue;
        sequence.finishReason = "abort";
        const waitingAt = this.#waiting.indexOf(sequence);
        if (waitingAt >= 0) {
          this.#waiting.splice(waitingAt, 1);
          this.finished.abort++;
          sequence.finish();
        }
      }
      this.#retire();
    });
  }

  /** Holds new requests back. `abort` ends running ones, `wait` returns when they are done, `keep` freezes them. */
  async pause(mode: InterruptMode): Promise<void> {
    this.#isPaused = true;
    if (mode === "abort") this.abortRequests(() => true);
    if (mode === "keep") this.#isFrozen = true;
    await this.#atBoundary(() => {});
    if (mode === "wait") await this.#untilIdle();
  }

  resume(): void {
    this.#isPaused = false;
    this.#isFrozen = false;
    this.#wake();
  }

  /**
   * Takes new weights between two steps. With `keep`, running sequences go on under them: their keys and values are
   * computed again, so that each token's log-prob is that of its version over the whole prefix.
   */
  async updateWeights(parameters: Parameters, version: number, mode: InterruptMode): Promise<void> {
    if (mode === "abort") this.abortRequests(() => true);
    if (mode === "wait") {
      this.#isDraining = true;
      await this.#untilIdle();
    }
    try {
      await this.#atBoundary(async () => {
        this.network.load(parameters);
        this.cache.clear();
        this.#version = version;
        await this.#recompute();
      });
    } finally {
      // A pause that was asked for meanwhile is somebody else's.
      this.#isDraining = false;
      this.#wake();
    }
  }

  async #recompute(): Promise<void> {
    for (let first = 0; first < this.#running.length; first += PREFILL_BATCH) {
      const batch = this.#running.slice(first, first + PREFILL_BATCH);
      const ids = batch.map((sequence) => sequence.ids.slice(0, sequence.computed));
      const prefilled = await this.network.prefill(
        ids,
        batch.map((_, i) => (i === 0 ? [0] : [])),
      );
      batch.forEach((sequence, row) => {
        this.#slots.load(first + row, prefilled, row, prefilled.length, sequence.computed);
        sequence.cacheVersion = this.#version ?? -1;
      });
    }
  }

  #untilIdle(): Promise<void> {
    if (this.#running.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Runs `work` while no graph is running. */
  #atBoundary(work: () => Promise<void> | void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#boundaryWork.push(async () => {
        try {
          await work();
          resolve();
        } catch (error) {
          reject(error);
        }
      });
      this.#wake();
    });
  }

  #wake(): void {
    if (this.#isLooping) return;
    this.#isLooping = true;
    // Requests that arrive in the same turn of the event loop share the first prefill.
    setImmediate(() => void this.#loop());
  }

  async #loop(): Promise<void> {
    try {
      for (;;) {
        const work = this.#boundaryWork;
        this.#boundaryWork = [];
        for (const step of work) await step();
        if (this.#canAdmit) await this.#admit();
        if (this.#running.length > 0 && !this.#isFrozen) await this.#step();
        else if (this.#boundaryWork.length === 0 && !this.#canAdmit) break;
      }
    } finally {
      this.#isLooping = false;
      if (this.#boundaryWork.length > 0) this.#wake();
    }
  }

  /** With nothing running, too: a batch may end in its prefill while others wait for its cache entry, a slot or the next batch. */
  get #canAdmit(): boolean {
    const isHeld = this.#isPaused || this.#isDraining || this.#isFrozen;
    return !isHeld && this.#version !== null && this.#waiting.length > 0;
  }

  /** Moves waiting requests into free slots: from cached prefixes, else by one prefill. */
  async #admit(): Promise<void> {
    const rest: Sequence[] = [];
    const fresh = new Map<string, Sequence>();
    for (const sequence of this.#waiting) {
      const room = this.limits.slots - this.#running.length - fresh.size;
      if (room <= 0) rest.push(sequence);
      else if (!this.#admitCached(sequence)) {
        const key = `${sequence.job.cacheSalt}\n${sequence.ids.join(",")}`;
        // The same prompt again waits for the first one's cache entry.
        if (fresh.size < PREFILL_BATCH && !fresh.has(key)) fresh.set(key, sequence);
        else rest.push(sequence);
      }
    }
    this.#waiting = rest;
    if (fresh.size > 0) await this.#admitFresh([...fresh.values()]);
  }

  #admitCached(sequence: Sequence): boolean {
    if (sequence.job.wantsPromptLogprobs) return false;
    const found = this.cache.find(sequence.job.cacheSalt, sequence.ids, sequence.ids.length - 1);
    if (!found || sequence.ids.length - found.length > SHORT_REST) return false;
    this.cache.count(sequence.ids.length, found.length);
    const slot = this.#enter(sequence);
    this.#slots.load(slot, found.stored, 0, found.stored.length, found.length);
    sequence.computed = found.length;
    return true;
  }

  /** Puts a sequence into the next slot. */
  #enter(sequence: Sequence): number {
    this.#slots.reserve(sequence.ids.length + 1, this.#running.length);
    sequence.cacheVersion = this.#version ?? -1;
    this.promptTokens += sequence.ids.length;
    this.onAdmitted((performance.now() - sequence.arrivedAt) / 1000);
    return this.#running.push(sequence) - 1;
  }

  async #admitFresh(batch: Sequence[]): Promise<void> {
    const wanted = batch.map(({ ids, job }) =>
      job.wantsPromptLogprobs ? ids.map((_, i) => i) : [ids.length - 1],
    );
    const prefilled = await this.network.prefill(
      batch.map((sequence) => sequence.ids),
      wanted,
    );
    const vocabulary = this.network.config.vocab_size;
    let offset = 0;
    batch.forEach((sequence, row) => {
      const { job, ids } = sequence;
      const length = ids.length;
      if (!job.wantsPromptLogprobs) this.cache.count(length, 0);
      const slot = this.#enter(sequence);
      this.#slots.load(slot, prefilled, row, prefilled.length, length);
      sequence.computed = length;
      this.cache.add(job.cacheSalt, ids.slice(), this.#slots.store(slot));
      if (job.wantsPromptLogprobs) {
        sequence.promptLogprobs = ids
          .slice(1)
          .map((id, i) =>
            scoreToken(prefilled.logits, offset + i * vocabulary, vocabulary, id, job.temperature),
          );
        offset += (length - 1) * vocabulary;
      }
      sequence.sample(prefilled.logits, offset, vocabulary, this.#version ?? -1);
      this.sampledTokens++;
      offset += vocabulary;
    });
    this.#retire();
  }

  async #step(): Promise<void> {
    const longest = Math.max(...this.#running.map((sequence) => sequence.computed));
    this.#slots.reserve(longest + 1, this.#running.length);
    const ids = this.#running.map((sequence) => sequence.ids[sequence.computed]);
    const previous = this.#running.map(({ ids: all, computed }) =>
      computed > 0 ? all[computed - 1] : 0,
    );
    const logits = await this.network.decode(this.#slots, ids, previous);
    const vocabulary = this.network.config.vocab_size;
    this.#running.forEach((sequence, slot) => {
      sequence.computed++;
      if (sequence.computed < sequence.ids.length || sequence.finishReason) return;
      sequence.sample(logits, slot * vocabulary, vocabulary, this.#version ?? -1);
      this.sampledTokens++;
    });
    this.#retire();
  }

  /** Takes finished sequences out, last slot first so that holes are filled by sequences that stay. */
  #retire(): void {
    for (let slot = this.#running.length - 1; slot >= 0; slot--) {
      const sequence = this.#running[slot];
      if (!sequence.finishReason) continue;
      if (sequence.cacheVersion === this.#version && sequence.computed > 0) {
        this.cache.add(
          sequence.job.cacheSalt,
          sequence.ids.slice(0, sequence.computed),
          this.#slots.store(slot),
        );
      }
      const last = this.#running.length - 1;
      this.#slots.move(last, slot);
      this.#running[slot] = this.#running[last];
      this.#running.pop();
      this.finished[sequence.finishReason]++;
      sequence.finish();
    }
    if (this.#running.length === 0) for (const wake of this.#idleWaiters.splice(0)) wake();
  }
}
