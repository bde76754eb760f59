import type { Logger } from "pino";

/**
 * Calls `drain` at the first SIGTERM or SIGINT and ends the process when it is through; a second signal calls `abandon`
 * and ends it at once. What was acknowledged is on disk either way.
 */
export function untilStopped(
  log: Logger,
  { drain, abandon }: { drain: () => Promise<void>; abandon: () => Promise<void> },
): void {
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    const again = signals > 0;
    log.info({ signal, again }, again ? "ending at once" : "ending");
    const ending = again ? abandon() : drain();
    const own = ++signals;
    ending.then(
      () => {
        // A drain that is abandoned ends, too: the last word has the last signal.
        if (own === signals) process.exit(again ? 1 : 0);
      },
      (error: unknown) => {
        log.error({ err: error }, "proxy did not stop cleanly");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}
