import { setTimeout as sleep } from "node:timers/promises";
import { TrialError } from "#trials/trial-error.ts";

const AGAIN_MS = 500;

/** Does it again while no daemon answers, so long after the first time: one that is started anew costs no trial its attempts. */
export async function untilAnswered<T>(
  { patienceMs, signal }: { patienceMs: number; signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  let giveUpAt: number | null = null;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TrialError) || error.exceptionType !== "SandboxUnavailableError")
        throw error;
      giveUpAt ??= Date.now() + patienceMs;
      if (Date.now() + AGAIN_MS > giveUpAt) throw error;
    }
    await sleep(AGAIN_MS, undefined, { signal });
  }
}
