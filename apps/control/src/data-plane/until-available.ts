import { setTimeout as sleep } from "node:timers/promises";

/** Tries again while the runner is away: it restarts by itself. */
export async function untilAvailable<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "UNAVAILABLE")) throw error;
      await sleep(200, undefined, { signal });
    }
  }
}
