import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "#context.ts";
import { buildProxyClient } from "#data-plane/proxy-client.ts";
import { conductReplay, type ReplayTools } from "#replays/conduct-replay.ts";
import { ReplayEngine } from "#replays/replay-engine.ts";

/** A click wakes it at once; this is for what nobody tells. */
const LOOK_MS = 2_000;
/** Who samples once often samples again with the same weights. */
const IDLE_MS = 60_000;

/** Conducts replays one after another, in the order in which they were asked for, and holds the engine that they need. */
export class Replayer {
  readonly #ctx: Context;
  readonly #tools: ReplayTools;
  readonly #stopping = new AbortController();
  #wake = new AbortController();
  #looking: Promise<void> = Promise.resolve();

  constructor(ctx: Context, { idleMs = IDLE_MS }: { idleMs?: number } = {}) {
    this.#ctx = ctx;
    this.#tools = {
      proxy: buildProxyClient(ctx.config.dataDir),
      engine: new ReplayEngine(ctx, idleMs),
    };
  }

  start(): void {
    this.#looking = this.#lookAgainAndAgain();
  }

  wake(): void {
    this.#wake.abort();
  }

  /** Ends the engine, too. A replay that is under way goes on at the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await this.#looking;
    await this.#tools.engine.stop();
  }

  async #lookAgainAndAgain(): Promise<void> {
    const { signal } = this.#stopping;
    await this.#tools.engine.reap();
    while (!signal.aborted) {
      try {
        const next = await this.#next();
        if (next !== null) {
          await conductReplay(this.#ctx, next, this.#tools, signal);
          continue;
        }
        await this.#tools.engine.stopIfIdle();
      } catch (error) {
        if (!signal.aborted) this.#ctx.log.warn({ err: error }, "a replay was interrupted");
      }
      await sleep(LOOK_MS, undefined, { signal: this.#wake.signal }).catch(() => undefined);
      if (this.#wake.signal.aborted && !signal.aborted) this.#wake = new AbortController();
    }
  }

  /** What is under way before what waits: after a restart a replay is taken up again. */
  async #next(): Promise<string | null> {
    const waiting = await this.#ctx.db.replay.findMany({
      where: { status: { in: ["queued", "sampling"] } },
      orderBy: { createdAt: "asc" },
      select: { id: true, status: true },
    });
    const next = waiting.find(({ status }) => status === "sampling") ?? waiting[0];
    return next?.id ?? null;
  }
}
