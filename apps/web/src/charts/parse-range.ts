import { createParser } from "nuqs";

/** `120:300` in the address: the zoomed steps, both ends included. */
export function parseRange(text: string): [number, number] | null {
  const match = /^(\d{1,9}):(\d{1,9})$/.exec(text);
  if (match === null) return null;
  const first = Number(match[1]);
  const last = Number(match[2]);
  return last > first ? [first, last] : null;
}

export const rangeParser = createParser<[number, number]>({
  parse: parseRange,
  serialize: ([first, last]) => `${first}:${last}`,
  eq: (a, b) => a[0] === b[0] && a[1] === b[1],
});
