import { z } from "zod";

/**
 * TOML values as Harbor's models take them: a number may stand as text, a whole number as a float or a boolean.
 * A string never comes from a number.
 */
const lax = <T>(wanted: string, read: (value: unknown) => T | undefined) =>
  z.unknown().transform((value, ctx): T => {
    const result = read(value);
    if (result !== undefined) return result;
    ctx.issues.push({ code: "custom", input: value, message: `must be ${wanted}` });
    return z.NEVER;
  });

const DIGITS = String.raw`\d+(?:_\d+)*`;
const NUMBER = new RegExp(
  `^[+-]?(?:(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:e[+-]?\\d+)?|inf(?:inity)?|nan)$`,
  "i",
);
const WHOLE = new RegExp(`^[+-]?${DIGITS}(?:\\.0+)?$`);

/** What Python's `str.strip()` takes away: JavaScript's own `trim` takes a byte order mark too, and leaves U+001C to U+001F and U+0085. */
const PYTHON_SPACE =
  "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";
function strip(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && PYTHON_SPACE.includes(text.charAt(from))) from++;
  while (to > from && PYTHON_SPACE.includes(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

/** As Python's `float()` reads it, infinite and NaN too; undefined where it is no number. */
export function readNumber(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string" || !NUMBER.test(strip(value))) return undefined;
  const text = strip(value).toLowerCase().replaceAll("_", "");
  const special = /^([+-]?)(inf(?:inity)?|nan)$/.exec(text);
  if (!special) return Number(text);
  if (special[2] === "nan") return Number.NaN;
  return special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function toWhole(value: unknown): number | undefined {
  if (typeof value === "string" && !WHOLE.test(strip(value))) return undefined;
  const number = readNumber(value);
  return number !== undefined && Number.isSafeInteger(number) ? number : undefined;
}

const TRUE = new Set(["1", "true", "t", "yes", "y", "on"]);
const FALSE = new Set(["0", "false", "f", "no", "n", "off"]);

function toBoolean(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return undefined;
  if (TRUE.has(text.toLowerCase())) return true;
  return FALSE.has(text.toLowerCase()) ? false : undefined;
}

/** May be infinite or NaN, as in TOML. */
export const float = lax("a number", readNumber);
export const whole = lax("a whole number", toWhole);
export const bool = lax("true or false", toBoolean);

export const text = z.string({ error: "must be a text in quotes" });
export const texts = z.array(text, { error: "must be a list of texts in quotes" });
export const textMap = z.record(text, text, { error: "must be a table of texts in quotes" });

/** A user by its name or its number. */
export const user = lax("the name or the number of a user", (value) =>
  typeof value === "string" ? value : toWhole(value),
);

/** One of a few words. */
export const oneOf = <const W extends readonly string[]>(words: W) =>
  z.enum(words, { error: `must be ${words.map((word) => `"${word}"`).join(" or ")}` });
