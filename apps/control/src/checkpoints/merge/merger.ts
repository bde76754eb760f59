import { setTimeout as sleep } from "node:timers/promises";
import { ACTIVE_MERGES } from "@liverl/contract/views";
import { conductMerge } from "#checkpoints/merge/conduct-merge.ts";
import type { Context } from "#context.ts";

/** A click wakes it at once; this is for what nobody tells. */
const LOOK_MS = 2_000;

/** Conducts merges one at a time, each of which holds a whole model in memory. A merger outlives control: its next life finds it. */
export class Merger {
  readonly #ctx: Context;
  readonly #stopping = new AbortController();
  #wake = new AbortController();
  #looking: Promise<void> = Promise.resolve();

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  start(): void {
    this.#looking = this.#lookAgainAndAgain();
  }

  wake(): void {
    this.#wake.abort();
  }

  /** Ends supervision; a merger that runs lives on. */
  async release(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await this.#looking;
  }

  async #lookAgainAndAgain(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const next = await this.#next();
        if (next) {
          await conductMerge(this.#ctx, next, signal);
          continue;
        }
      } catch (error) {
        // The database went away: the next look takes the merge up again where it stands.
        if (!signal.aborted) this.#ctx.log.warn({ err: error }, "a merge was interrupted");
      }
      await sleep(LOOK_MS, undefined, { signal: this.#wake.signal }).catch(() => undefined);
      if (this.#wake.signal.aborted && !signal.aborted) this.#wake = new AbortController();
    }
  }

  /** What is under way before what waits. */
  async #next(): Promise<{ runId: string; step: number } | null> {
    const waiting = await this.#ctx.db.checkpointMerge.findMany({
      where: { status: { in: [...ACTIVE_MERGES] } },
      orderBy: { queuedAt: "asc" },
      select: { runId: true, step: true, status: true },
    });
    const first = waiting.find(({ status }) => status !== "queued") ?? waiting[0];
    return first ? { runId: first.runId, step: first.step } : null;
  }
}
