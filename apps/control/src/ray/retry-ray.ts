import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@liverl/contract/app-error";

const FIRST_WAIT_MS = 500;
const MOST_WAIT_MS = 10_000;

/** Tries again while the cluster is away or too busy, for `patienceMs`; `tell` hears why. Throws the last error then. */
export async function retryRay<T>(
  signal: AbortSignal,
  patienceMs: number,
  tell: (detail: string) => unknown,
  act: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + patienceMs;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MOST_WAIT_MS)) {
    signal.throwIfAborted();
    try {
      return await act();
    } catch (error) {
      const isPassing =
        error instanceof AppError && ["UNAVAILABLE", "TOO_MANY_REQUESTS"].includes(error.code);
      if (!isPassing || performance.now() + waitMs > until) throw error;
      await tell(error.userMessage);
      await sleep(waitMs * (0.8 + 0.4 * Math.random()), undefined, { signal });
    }
  }
}
