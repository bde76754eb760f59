import type { Trial } from "#trials/trial.ts";
import { isFinished } from "#trials/trial.ts";

/** Resolves to whether the trial is finished, at the latest after `waitMs` or when the signal aborts. */
export function waitForFinish(trial: Trial, waitMs: number, signal: AbortSignal): Promise<boolean> {
  if (isFinished(trial) || waitMs <= 0 || signal.aborted) return Promise.resolve(isFinished(trial));
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      trial.watchers.delete(onChange);
      signal.removeEventListener("abort", settle);
      resolve(isFinished(trial));
    };
    const onChange = () => {
      if (isFinished(trial)) settle();
    };
    const timer = setTimeout(settle, waitMs);
    trial.watchers.add(onChange);
    signal.addEventListener("abort", settle, { once: true });
  });
}
