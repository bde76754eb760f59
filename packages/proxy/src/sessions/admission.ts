import { statfs } from "node:fs/promises";
import { AppError } from "@liverl/contract/app-error";
import type { ProxyLimits } from "#config/process-plan.ts";

const LOOK_EVERY_MS = 1_000;
const MB = 1024 * 1024;

export type RefusalReason = "draining" | "disk" | "memory" | "sessions";

/**
 * The door for what is new. Calls that have begun, completions and deletions are never held up here: they use the
 * disk space that is kept free for them.
 */
export class Admission {
  readonly #directory: string;
  readonly #limits: ProxyLimits;
  readonly #onRefusal: (reason: RefusalReason) => void;
  readonly #timer: NodeJS.Timeout;
  #draining = false;
  #freeMb = Number.POSITIVE_INFINITY;
  #residentMb = 0;

  private constructor(
    directory: string,
    limits: ProxyLimits,
    onRefusal: (reason: RefusalReason) => void,
  ) {
    this.#directory = directory;
    this.#limits = limits;
    this.#onRefusal = onRefusal;
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Watches the disk of `directory` and this process's memory until it is closed. */
  static async open(
    directory: string,
    limits: ProxyLimits,
    onRefusal: (reason: RefusalReason) => void = () => undefined,
  ): Promise<Admission> {
    const admission = new Admission(directory, limits, onRefusal);
    await admission.look();
    return admission;
  }

  get isDraining(): boolean {
    return this.#draining;
  }

  get freeDiskBytes(): number {
    return this.#freeMb * MB;
  }

  /** From now on nothing new is taken. */
  drain(): void {
    this.#draining = true;
  }

  /** Throws UNAVAILABLE where a call may not begin now. */
  admitCall(): void {
    if (this.#draining)
      this.#refuse("draining", "The proxy is going down and begins no new call. Ask again.");
    if (this.#freeMb < this.#limits.minFreeDiskMb)
      this.#refuse(
        "disk",
        `The disk of ${this.#directory} is full: ${this.#limits.minFreeDiskMb} MB are kept for calls that have begun. Free some space; no restart is needed.`,
      );
  }

  /** Throws UNAVAILABLE or TOO_MANY_REQUESTS where no session may be opened now. `open`: how many there are. */
  admitSession(open: number): void {
    this.admitCall();
    const { maxMemoryMb, maxSessions } = this.#limits;
    if (maxMemoryMb !== null && this.#residentMb > maxMemoryMb)
      this.#refuse(
        "memory",
        `The proxy uses more than ${maxMemoryMb} MB: complete sessions before you open more.`,
      );
    if (open >= maxSessions) {
      this.#onRefusal("sessions");
      throw new AppError("TOO_MANY_REQUESTS", {
        userMessage: `${open} sessions are open, which is the limit: complete some before you open more.`,
      });
    }
  }

  async look(): Promise<void> {
    this.#residentMb = process.memoryUsage.rss() / MB;
    try {
      const { bavail, bsize } = await statfs(this.#directory);
      this.#freeMb = (bavail * bsize) / MB;
    } catch {
      // What can not be asked is found out by writing: a journal that can not write refuses by itself.
      this.#freeMb = Number.POSITIVE_INFINITY;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #refuse(reason: RefusalReason, userMessage: string): never {
    this.#onRefusal(reason);
    throw new AppError("UNAVAILABLE", { userMessage });
  }
}
