import { setTimeout as sleep } from "node:timers/promises";
import type { Cli } from "#cli.ts";
import { CliError, EXIT } from "#exit-code.ts";

const AGAIN_MS = 2_000;
/** Control restarts while its work goes on: so long it may be away. */
const PATIENCE_MS = 300_000;

/** Asks again while LiveRL is away, and says so. */
export async function askPatiently<T>({ io, signal }: Cli, ask: () => Promise<T>): Promise<T> {
  const since = Date.now();
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isAway = error instanceof CliError && error.exit === EXIT.away;
      if (!isAway || Date.now() - since > PATIENCE_MS) throw error;
      io.say(error.message);
      await sleep(AGAIN_MS, undefined, { signal });
    }
  }
}
