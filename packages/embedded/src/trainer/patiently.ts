import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";

/** The other process answered, and said no: trying again would not help. */
export class Refused extends Error {
  override readonly name = "Refused";
}

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 3_000;
/** A run outlives half an hour without its runner or engines. */
const PATIENCE_MS = 30 * 60_000;

/** Repeats `act` until it works, while the process it talks to restarts. Gives up after half an hour, or when refused. */
export async function patiently<T>(what: string, log: Logger, act: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let waitMs = FIRST_WAIT_MS, tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      if (error instanceof Refused || Date.now() > deadline) throw error;
      if (tries === 1) log.warn({ err: error }, `${what} failed; trying again`);
      await sleep(waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  }
}
