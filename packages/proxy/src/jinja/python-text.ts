import { GivenText, givenText, isText, plain, type Text, TextBuilder } from "#jinja/given-text.ts";
import {
  Attributes,
  Callable,
  Dict,
  Float,
  type Lazy,
  Tuple,
  Undefined,
  type Value,
} from "#jinja/python-values.ts";

const LEAST_POINT = -4;
const MOST_DIGITS = 16;
const UNPRINTABLE = /[\p{C}\p{Z}]/u;
const NAMED_ESCAPES: Readonly<Record<string, string>> = {
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\\": "\\\\",
};

/** `str(value)`. */
export function strOf(value: Value): Text {
  if (isText(value)) return value;
  return value instanceof Undefined ? "" : reprOf(value);
}

/** `repr(value)`, as Python prints lists and dictionaries. */
export function reprOf(value: Value): Text {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (value instanceof Float) return floatText(value.value);
  if (isText(value)) return quotedText(value);
  if (Array.isArray(value)) return sequenceText("[", value, "]");
  if (value instanceof Tuple)
    return sequenceText("(", value.elements, value.elements.length === 1 ? ",)" : ")");
  if (value instanceof Dict) return dictText(value);
  return objectText(value);
}

function objectText(value: Undefined | Lazy | Callable | Attributes): string {
  if (value instanceof Undefined) return "Undefined";
  if (value instanceof Callable) return `<function ${value.name}>`;
  return value instanceof Attributes ? `<${value.kind}>` : "<generator>";
}

function sequenceText(open: string, elements: readonly Value[], close: string): Text {
  const builder = new TextBuilder().add(open);
  for (const [i, element] of elements.entries()) {
    if (i > 0) builder.add(", ");
    builder.add(reprOf(element));
  }
  return builder.add(close).build();
}

function dictText(dict: Dict): Text {
  const builder = new TextBuilder().add("{");
  for (const [i, [key, value]] of dict.entries().entries()) {
    if (i > 0) builder.add(", ");
    builder.add(reprOf(key)).add(": ").add(reprOf(value));
  }
  return builder.add("}").build();
}

function quotedText(value: Text): Text {
  const text = plain(value);
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let inner = "";
  for (const character of text) {
    const named = NAMED_ESCAPES[character];
    if (named !== undefined) inner += named;
    else if (character === quote) inner += `\\${character}`;
    else if (character !== " " && UNPRINTABLE.test(character)) inner += escapedCharacter(character);
    else inner += character;
  }
  if (!(value instanceof GivenText)) return quote + inner + quote;
  return new TextBuilder().add(quote).add(givenText(inner)).add(quote).build();
}

function escapedCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/** `repr` of a float: JavaScript's digits in Python's form (an exponent below 1e-4 and from 1e16 on). */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  if (Object.is(value, -0)) return "-0.0";
  const [mantissa = "0", exponent = "0"] = value.toExponential().split("e");
  const sign = mantissa.startsWith("-") ? "-" : "";
  const digits = mantissa.replace(/[-.]/g, "");
  // The number is 0.DIGITS times ten to the power of `point`.
  const point = Number(exponent) + 1;
  if (point <= LEAST_POINT || point > MOST_DIGITS) return scientific(sign, digits, point - 1);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (digits.length <= point) return `${sign}${digits.padEnd(point, "0")}.0`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

function scientific(sign: string, digits: string, exponent: number): string {
  const rest = digits.length > 1 ? `.${digits.slice(1)}` : "";
  const power = String(Math.abs(exponent)).padStart(2, "0");
  return `${sign}${digits[0]}${rest}e${exponent < 0 ? "-" : "+"}${power}`;
}
