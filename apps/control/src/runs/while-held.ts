import { AppError } from "@liverl/contract/app-error";
import type { Context } from "#context.ts";
import { inTransaction } from "#database/in-transaction.ts";

/**
 * Does what must not meet another such act on the same run: a look at its state and what follows from it are one. Throws CONFLICT
 * while another one is at it. The database holds the lock, so a death of this process lets it go.
 */
export function whileHeld<T>(
  { pool }: Pick<Context, "pool">,
  runId: string,
  work: () => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ free: boolean }>(
      "SELECT pg_try_advisory_xact_lock(hashtextextended('run ' || $1, 0)) AS free",
      [runId],
    );
    if (rows[0]?.free !== true)
      throw new AppError("CONFLICT", {
        userMessage: `${runId} is being cleaned or resumed just now: try again when that is done.`,
      });
    return work();
  });
}
