import { givenText, type Text } from "#jinja/given-text.ts";
import { Dict, Float, integer, type Value } from "#jinja/python-values.ts";
import type { LosslessValue } from "#json/parse-lossless.ts";

const IS_INTEGER = /^-?\d+$/;

/**
 * JSON as Python's `json.loads` gives it to a template. `mark` says of each string in it, keys too, how much of it counts as
 * given; all of it where it is left out.
 */
export function givenLossless(
  value: LosslessValue,
  mark: (text: string) => Text = givenText,
): Value {
  switch (value.kind) {
    case "object": {
      const dict = new Dict();
      for (const [key, inner] of value.entries) dict.set(mark(key), givenLossless(inner, mark));
      return dict;
    }
    case "array":
      return value.elements.map((element) => givenLossless(element, mark));
    case "string":
      return mark(value.value);
    case "number":
      return IS_INTEGER.test(value.text)
        ? integer(BigInt(value.text))
        : new Float(Number(value.text));
    case "literal":
      return value.value;
  }
}

/** The same for what `JSON.parse` gave, which knows no float that is whole. */
export function givenParsed(value: unknown): Value {
  if (typeof value === "string") return givenText(value);
  if (typeof value === "number") return Number.isInteger(value) ? value : new Float(value);
  if (typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(givenParsed);
  if (value === null || typeof value !== "object") return null;
  const dict = new Dict();
  for (const [key, inner] of Object.entries(value))
    if (inner !== undefined) dict.set(givenText(key), givenParsed(inner));
  return dict;
}
