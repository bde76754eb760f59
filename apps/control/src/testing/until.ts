import { setTimeout as sleep } from "node:timers/promises";

/** Looks every 20 ms until `look` answers something that is not null or false; fails after `withinMs`. */
export async function until<T>(
  look: () => Promise<T | null | false> | T | null | false,
  withinMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== null && seen !== false) return seen;
    if (Date.now() > deadline) throw new Error(`not seen within ${withinMs} ms: ${look}`);
    await sleep(20);
  }
}
