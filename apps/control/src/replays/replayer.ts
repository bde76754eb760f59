import { setTimeout as sleep } from "node:timers/promises";
import { ReplayWeights } from "@liverl/contract/replay";
import type { Resolve } from "#alerts/webhooks/webhook-guard.ts";
import type { Context } from "#context.ts";
import { buildProxyClient } from "#data-plane/proxy-client.ts";
import { conductReplay, type ReplayTools } from "#replays/conduct-replay.ts";
import { ReplayEngine } from "#replays/replay-engine.ts";

/** A click wakes it at once; this is for what nobody tells. */
const LOOK_MS = 2_000;
/** Who samples once often samples again with the same weights. */
const IDLE_MS = 60_000;
/** The longest completions of a large model on a busy engine take a few. */
const LIMIT_MS = 10 * 60_000;
/** Checkpoints are served one at a time. */
const CHECKPOINTS = "checkpoints";

/**
 * Conducts replays, those of one engine one after another in the order in which they were asked for: nobody waits for another
 * one's engine. Holds the engine that serves checkpoints.
 */
export class Replayer {
  readonly #ctx: Context;
  readonly #tools: ReplayTools;
  readonly #stopping = new AbortController();
  /** Under way, by their engine. */
  readonly #busy = new Map<string, Promise<void>>();
  #wake = new AbortController();
  #looking: Promise<void> = Promise.resolve();

  constructor(
    ctx: Context,
    options: { idleMs?: number; limitMs?: number; resolve?: Resolve } = {},
  ) {
    const { idleMs = IDLE_MS, limitMs = LIMIT_MS, resolve } = options;
    this.#ctx = ctx;
    this.#tools = {
      proxy: buildProxyClient(ctx.config.dataDir),
      engine: new ReplayEngine(ctx, idleMs),
      limitMs,
      ...(resolve && { resolve }),
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
    await Promise.all(this.#busy.values());
    await this.#tools.engine.stop();
  }

  async #lookAgainAndAgain(): Promise<void> {
    const { signal } = this.#stopping;
    await this.#tools.engine.reap();
    while (!signal.aborted) {
      try {
        await this.#startNext();
        if (!this.#busy.has(CHECKPOINTS)) await this.#tools.engine.stopIfIdle();
      } catch (error) {
        // The database is away: the next look asks again.
        if (!signal.aborted) this.#ctx.log.warn({ err: error }, "replays could not be looked for");
      }
      await sleep(LOOK_MS, undefined, { signal: this.#wake.signal }).catch(() => undefined);
      if (this.#wake.signal.aborted && !signal.aborted) this.#wake = new AbortController();
    }
  }

  /** The first one of each engine that is free; what was under way before a restart comes first. */
  async #startNext(): Promise<void> {
    const rows = await this.#ctx.db.replay.findMany({
      where: { status: { in: ["queued", "sampling"] } },
      orderBy: { createdAt: "asc" },
      select: { id: true, status: true, weights: true },
    });
    const isUnderWay = (row: { status: string }) => row.status === "sampling";
    for (const { id, weights } of [
      ...rows.filter(isUnderWay),
      ...rows.filter((row) => !isUnderWay(row)),
    ]) {
      const engine = engineKey(ReplayWeights.safeParse(weights).data) ?? `replay ${id}`;
      if (!this.#busy.has(engine)) this.#busy.set(engine, this.#conduct(id, engine));
    }
  }

  /** Never rejects. */
  async #conduct(id: string, engine: string): Promise<void> {
    const { signal } = this.#stopping;
    try {
      await conductReplay(this.#ctx, id, this.#tools, signal);
      this.wake();
    } catch (error) {
      if (!signal.aborted) this.#ctx.log.warn({ err: error, id }, "a replay was interrupted");
    } finally {
      this.#busy.delete(engine);
    }
  }
}

/** None of a row that can not be read: it waits for no other, and fails alone. */
function engineKey(weights: ReplayWeights | undefined): string | undefined {
  if (weights === undefined) return undefined;
  if (weights.kind === "checkpoint") return CHECKPOINTS;
  return weights.kind === "live" ? `run ${weights.runId}` : weights.url;
}
