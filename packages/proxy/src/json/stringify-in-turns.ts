import { setImmediate as nextTurn } from "node:timers/promises";

/** Numbers take some ten milliseconds for a hundred thousand: so many of them go between two turns of the event loop. */
const AT_ONCE = 8_192;

/** The text of `JSON.stringify(value)`, with turns of the event loop between the parts of long lists. `value` is plain data. */
export async function stringifyInTurns(value: unknown): Promise<string> {
  if (Array.isArray(value)) return `[${await partsOf(value)}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields: string[] = [];
  for (const [name, held] of Object.entries(value))
    if (held !== undefined) fields.push(`${JSON.stringify(name)}:${await stringifyInTurns(held)}`);
  return `{${fields.join()}}`;
}

async function partsOf(values: readonly unknown[]): Promise<string> {
  const parts: string[] = [];
  if (typeof values[0] === "object" && values[0] !== null) {
    for (const value of values) parts.push(await stringifyInTurns(value));
    return parts.join();
  }
  for (let from = 0; from < values.length; from += AT_ONCE) {
    if (from > 0) await nextTurn();
    parts.push(JSON.stringify(values.slice(from, from + AT_ONCE)).slice(1, -1));
  }
  if (values.length > AT_ONCE) await nextTurn();
  return parts.join();
}
