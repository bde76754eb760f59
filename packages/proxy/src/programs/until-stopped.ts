import type { Logger } from "pino";

/**
 * Calls `drain` at the first SIGTERM or SIGINT and ends the process when it is through; a second signal calls `abandon`
 * and ends it at once. What was acknowledged is on disk either way.
 */
export function untilStopped(
  log: Logger,
  { drain, abandon }: { drain: () => Promise<void>; abandon: () => Promise<void> },
): void {
  let asked = false;
  const onSignal = (signal: NodeJS.Signals) => {
    log.info({ signal, again: asked }, asked ? "ending at once" : "ending");
    const ending = asked ? abandon() : drain();
    const codeWhenDone = asked ? 1 : 0;
    asked = true;
    ending.then(
      () => process.exit(codeWhenDone),
      (error: unknown) => {
        log.error({ err: error }, "proxy did not stop cleanly");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}
