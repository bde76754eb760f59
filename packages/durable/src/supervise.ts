import { setTimeout as sleep } from "node:timers/promises";
import {
  forgetRecorded,
  isAlive,
  type ProcessRecord,
  type ProcessSpec,
  recoverRecord,
  startRecorded,
  stopRecorded,
} from "#process.ts";

export type SupervisedState = "starting" | "up" | "restarting" | "exited";

export interface Supervised {
  readonly state: SupervisedState;
  readonly restarts: number;
  readonly record: ProcessRecord | null;
  /** When the present state began. */
  readonly since: Date;
  /** Whether the process was found alive rather than started. */
  readonly adopted: boolean;
  /** Ends supervision and the process. */
  stop(options: { graceMs: number }): Promise<void>;
  /** Ends supervision; the process lives on and can be adopted. */
  release(): void;
  /** Settles when supervision ends: by stop, release, or because `onExit` said done. */
  readonly finished: Promise<void>;
}

export interface SuperviseOptions {
  /** Called before each start: ports may have to be chosen anew. */
  spec: () => Promise<ProcessSpec> | ProcessSpec;
  /** A death that nobody asked for. "done" ends supervision. */
  onExit?: (death: {
    code: number | null;
    restarts: number;
    livedMs: number;
  }) => Promise<"restart" | "done"> | "restart" | "done";
  onChange?: (supervised: Supervised) => void;
  minBackoffMs?: number;
  maxBackoffMs?: number;
}

const POLL_MS = 100;
/** A process that lived this long starts over with the shortest wait. */
const STEADY_MS = 10_000;

/** Adopts the process that a record names if it still lives, else starts it; restarts it when it dies. */
export function supervise(options: SuperviseOptions): Supervised {
  const supervisor = new Supervisor(options);
  return supervisor;
}

class Supervisor implements Supervised {
  state: SupervisedState = "starting";
  restarts = 0;
  record: ProcessRecord | null = null;
  since = new Date();
  adopted = false;
  readonly finished: Promise<void>;
  readonly #options: SuperviseOptions;
  #ending: "stop" | "release" | null = null;
  #wake = new AbortController();

  constructor(options: SuperviseOptions) {
    this.#options = options;
    this.finished = this.#run();
  }

  release(): void {
    this.#ending = "release";
    this.#wake.abort();
  }

  async stop({ graceMs }: { graceMs: number }): Promise<void> {
    this.#ending = "stop";
    this.#wake.abort();
    await this.finished;
    if (!this.record) return;
    await stopRecorded(this.record, { graceMs });
    const { directory, name } = await this.#options.spec();
    await forgetRecorded(directory, name);
    this.#become("exited");
  }

  #become(state: SupervisedState): void {
    this.state = state;
    this.since = new Date();
    this.#options.onChange?.(this);
  }

  async #run(): Promise<void> {
    const { minBackoffMs = 100, maxBackoffMs = 5_000 } = this.#options;
    let backoffMs = minBackoffMs;
    while (!this.#ending) {
      const began = Date.now();
      const code = await this.#once();
      if (this.#ending) return;
      const livedMs = Date.now() - began;
      const verdict =
        (await this.#options.onExit?.({ code, restarts: this.restarts, livedMs })) ?? "restart";
      if (verdict === "done") return this.#become("exited");
      this.restarts++;
      this.#become("restarting");
      backoffMs = livedMs > STEADY_MS ? minBackoffMs : backoffMs;
      await sleep(backoffMs, undefined, { signal: this.#wake.signal }).catch(() => undefined);
      backoffMs = Math.min(backoffMs * 2, maxBackoffMs);
    }
  }

  /** One life of the process. Resolves to its exit code; null where only its absence was seen, or a signal ended it. */
  async #once(): Promise<number | null> {
    try {
      const spec = await this.#options.spec();
      const known = await recoverRecord(spec.directory, spec.name);
      if (known && (await isAlive(known))) {
        this.record = known;
        this.adopted = true;
        this.#become("up");
        return await this.#watchAdopted(known);
      }
      this.#become("starting");
      const { record, child } = await startRecorded(spec);
      this.record = record;
      this.adopted = false;
      const exited = new Promise<number | null>((resolve) =>
        child.once("exit", (code) => resolve(code)),
      );
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      this.#become("up");
      return await Promise.race([exited, this.#asked()]);
    } catch {
      // The spawn itself failed (no such program, no memory): counts as a death, so that backoff applies.
      return null;
    }
  }

  async #watchAdopted(record: ProcessRecord): Promise<null> {
    while (!this.#ending && (await isAlive(record))) {
      await sleep(POLL_MS, undefined, { signal: this.#wake.signal }).catch(() => undefined);
    }
    return null;
  }

  #asked(): Promise<null> {
    const { signal } = this.#wake;
    return new Promise((resolve) => {
      // Asked while the process was being started: an aborted signal does not fire again.
      if (signal.aborted) resolve(null);
      else signal.addEventListener("abort", () => resolve(null), { once: true });
    });
  }
}
