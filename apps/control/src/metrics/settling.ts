import { AppError } from "@liverl/contract/app-error";

interface Waiter {
  upTo: number;
  resolve: () => void;
  reject: (error: AppError) => void;
  timer: NodeJS.Timeout;
}

/** Those who wait until a journal number is folded. */
export class Settling {
  readonly #limitMs: number;
  #waiters: Waiter[] = [];

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  wait(upTo: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(upTo), this.#limitMs);
      this.#waiters.push({ upTo, resolve, reject, timer });
    });
  }

  /** All up to `seq` is folded. */
  settle(seq: number): void {
    for (const waiter of this.#waiters.filter(({ upTo }) => upTo <= seq)) {
      clearTimeout(waiter.timer);
      waiter.resolve();
    }
    this.#waiters = this.#waiters.filter(({ upTo }) => upTo > seq);
  }

  close(): void {
    this.#giveUp(Number.POSITIVE_INFINITY);
  }

  #giveUp(upTo: number): void {
    for (const waiter of this.#waiters.filter((one) => one.upTo <= upTo)) {
      clearTimeout(waiter.timer);
      waiter.reject(
        new AppError("UNAVAILABLE", {
          userMessage: "What was logged is safe and not visible yet. Try again in a few seconds.",
        }),
      );
    }
    this.#waiters = this.#waiters.filter((one) => one.upTo > upTo);
  }
}
