import { copyFile, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@liverl/contract/app-error";
import type { AskedEngine } from "@liverl/contract/engine-question";
import { writeFileAtomic } from "@liverl/durable/atomic-file";
import { keepPort } from "@liverl/durable/port";
import { findRecorded, forgetRecorded, stopRecorded } from "@liverl/durable/process";
import { type Supervised, supervise } from "@liverl/durable/supervise";
import type { Context } from "#context.ts";
import { childEnv } from "#env.ts";
import { openCheckpointWeights } from "#replays/checkpoint-weights.ts";

/** Name of its record; the embedded driver ends engines of runs, which are called otherwise. */
export const REPLAY_ENGINE = "replay-engine";
const GRACE_MS = 2_000;
const START_MS = 60_000;
const HEALTH_MS = 2_000;
const LOOK_MS = 50;
const MODEL_FILES = [
  "config.json",
  "tokenizer.json",
  "tokenizer_config.json",
  "chat_template.jinja",
];

interface Held {
  key: string;
  supervised: Supervised;
  url: string;
  usedAt: number;
}

/** The one engine that serves checkpoints for replays: started when one is asked for, ended when none was for a while. */
export class ReplayEngine {
  readonly #ctx: Pick<Context, "db" | "config" | "log">;
  readonly #folder: string;
  readonly #idleMs: number;
  #held: Held | null = null;

  constructor(ctx: Pick<Context, "db" | "config" | "log">, idleMs: number) {
    this.#ctx = ctx;
    this.#idleMs = idleMs;
    this.#folder = join(ctx.config.dataDir, "replay-engine");
  }

  /** Ends what an earlier life of control left: it may serve any checkpoint. */
  async reap(): Promise<void> {
    const { processes } = this.#ctx.config;
    const left = await findRecorded(processes, REPLAY_ENGINE);
    if (left) await stopRecorded(left, { graceMs: GRACE_MS });
    await forgetRecorded(processes, REPLAY_ENGINE);
  }

  /** An engine with these weights that answers. Throws CONFLICT where they can not be loaded. */
  async serve(
    checkpoint: { runId: string; step: number },
    signal: AbortSignal,
  ): Promise<AskedEngine> {
    const key = `${checkpoint.runId}/${checkpoint.step}`;
    if (this.#held?.key !== key || this.#held.supervised.state === "exited") {
      await this.stop();
      await this.#start(key, checkpoint);
    }
    const held = this.#held;
    if (!held) throw new Error("the engine was ended while it started");
    await this.#untilHealthy(held, signal);
    held.usedAt = Date.now();
    return { url: held.url, keyPath: join(this.#folder, "engine.key") };
  }

  /** Keeps it from being ended as idle. */
  touch(): void {
    if (this.#held) this.#held.usedAt = Date.now();
  }

  async stopIfIdle(): Promise<void> {
    if (this.#held && Date.now() - this.#held.usedAt > this.#idleMs) await this.stop();
  }

  async stop(): Promise<void> {
    const held = this.#held;
    this.#held = null;
    await held?.supervised.stop({ graceMs: GRACE_MS });
  }

  async #start(key: string, checkpoint: { runId: string; step: number }): Promise<void> {
    const { config } = this.#ctx;
    const { folder, version } = await openCheckpointWeights(this.#ctx, checkpoint);
    await rm(this.#folder, { recursive: true, force: true });
    for (const inner of ["model", "weights"])
      await mkdir(join(this.#folder, inner), { recursive: true });
    for (const name of MODEL_FILES)
      await copyFile(join(folder, name), join(this.#folder, "model", name));
    await writeFileAtomic(
      join(this.#folder, "weights/current.json"),
      JSON.stringify({ version, path: join(folder, "model.safetensors") }),
    );
    const port = await keepPort(join(this.#folder, "port"));
    const argv = ["--run-dir", this.#folder, "--index", "0", "--port", String(port)];
    const supervised = supervise({
      spec: () => ({
        directory: config.processes,
        name: REPLAY_ENGINE,
        argv: [process.execPath, join(config.dist, "engine.mjs"), ...argv],
        env: childEnv(),
        cwd: this.#folder,
        logPath: join(config.dataDir, "logs/replay-engine.log"),
        port,
        startedBy: `control ${process.pid}`,
      }),
      // One that dies is started by the next who asks; a checkpoint that can not be loaded would die for ever.
      onExit: () => "done",
    });
    this.#held = { key, supervised, url: `http://127.0.0.1:${port}`, usedAt: Date.now() };
  }

  async #untilHealthy({ supervised, url }: Held, signal: AbortSignal): Promise<void> {
    for (const deadline = Date.now() + START_MS; Date.now() < deadline; ) {
      signal.throwIfAborted();
      // Whoever else has taken its port may hold a question for ever.
      const asked = AbortSignal.any([signal, AbortSignal.timeout(HEALTH_MS)]);
      const answer = await fetch(`${url}/health`, { signal: asked }).catch(() => null);
      if (supervised.state === "exited") break;
      if (answer?.ok) return;
      await sleep(LOOK_MS, undefined, { signal });
    }
    throw new AppError("CONFLICT", {
      userMessage: `The engine could not load this checkpoint: ${await this.#lastWords()}`,
    });
  }

  async #lastWords(): Promise<string> {
    const path = join(this.#ctx.config.dataDir, "logs/replay-engine.log");
    const text = await readFile(path, "utf8").catch(() => "");
    const error = text.match(/^\w*Error: .+$/gm)?.at(-1);
    return error ?? `${path} says why.`;
  }
}
