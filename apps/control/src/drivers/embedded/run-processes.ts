import type { ProcessRecord } from "@liverl/durable/process";
import type { Supervised } from "@liverl/durable/supervise";
import type { Context } from "#context.ts";
import { type ProcessView, viewOf } from "#data-plane/process-view.ts";
import { runFiles } from "#drivers/embedded/run-files.ts";
import { enginePort, superviseEngine } from "#drivers/embedded/supervise-engine.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

const ENGINE_GRACE_MS = 2_000;

/** The processes of one run: its engines, which may outlive its end, and what is known of its trainer. */
export class RunProcesses {
  readonly #ctx: Context;
  readonly #runId: string;
  #engines: Supervised[] = [];
  #trainer: ProcessView | null = null;
  #trainerStarts = 0;

  constructor(ctx: Context, runId: string) {
    this.#ctx = ctx;
    this.#runId = runId;
  }

  get hasEngines(): boolean {
    return this.#engines.length > 0;
  }

  views(): ProcessView[] {
    const engines = this.#engines.map((engine, i) => viewOf(`engine-${i}`, engine));
    return this.#trainer ? [this.#trainer, ...engines] : engines;
  }

  setTrainer(record: ProcessRecord | null, status: ProcessView["status"]): void {
    if (record) this.#trainerStarts++;
    this.#trainer = {
      name: "trainer",
      pid: record?.pid ?? null,
      status,
      restarts: Math.max(0, this.#trainerStarts - 1),
      since: new Date().toISOString(),
    };
    this.#ctx.live.emit("run", this.#runId);
  }

  /** Adopts or starts the engines; answers with their ports. */
  async startEngines(count: number, signal: AbortSignal): Promise<number[]> {
    const files = runFiles(this.#ctx.config.dataDir, this.#runId);
    const { live, log } = this.#ctx;
    for (let i = this.#engines.length; i < count; i++) {
      this.#engines.push(
        superviseEngine(this.#ctx.config, this.#runId, files, i, {
          onDeath: (code) => {
            void recordRunEvent(this.#ctx, this.#runId, {
              kind: "crash",
              actor: "control",
              message: `engine ${i} died${code === null ? "" : ` with code ${code}`} and is restarted`,
            }).catch((error: unknown) =>
              log.warn({ err: error, runId: this.#runId }, "engine death was not recorded"),
            );
          },
          onChange: () => live.emit("run", this.#runId),
        }),
      );
    }
    return Promise.all(this.#engines.map((engine) => enginePort(engine, signal)));
  }

  /** Ends supervision of the engines; they live on. */
  releaseEngines(): void {
    for (const engine of this.#engines) engine.release();
    this.#engines = [];
  }

  /** Ends the engines. */
  async stopEngines(): Promise<void> {
    const engines = this.#engines;
    this.#engines = [];
    await Promise.all(engines.map((engine) => engine.stop({ graceMs: ENGINE_GRACE_MS })));
    this.#ctx.live.emit("run", this.#runId);
  }
}
