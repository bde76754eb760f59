import { setTimeout as sleep } from "node:timers/promises";
import { isDatabaseAway } from "#database/is-database-away.ts";

const RETRY_MS = 500;

/** Does `act` again and again while the database is away. Null when `signal` fires meanwhile: nobody waits any more. */
export async function untilDatabaseIsBack<T>(
  act: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | null> {
  while (!signal?.aborted) {
    try {
      return await act();
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}
