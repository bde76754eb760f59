import { joinTexts, plain, sliceText, type Text } from "#jinja/given-text.ts";
import { JinjaError } from "#jinja/jinja-error.ts";
import { reprOf, strOf } from "#jinja/python-text.ts";
import {
  Dict,
  Float,
  isInteger,
  type NamedArguments,
  Tuple,
  typeName,
  type Value,
} from "#jinja/python-values.ts";

const FIELD = /\{\{|\}\}|\{(\w*)(?:!([rs]))?(?::([^{}]*))?\}/g;
const PERCENT = /%(?:\((\w+)\))?([-0 +#]*)([1-9]\d*)?(?:\.(\d+))?([a-zA-Z%])/g;

/** `str.format` with plain fields, `{}`, `{0}` or `{name}`, and the simplest widths. */
export function formatFields(
  source: Text,
  positional: readonly Value[],
  named: NamedArguments,
): Text {
  let next = 0;
  return replaceEach(source, FIELD, ([whole, name, conversion, layout]) => {
    if (whole === "{{" || whole === "}}") return whole[0] ?? "";
    const key = name === undefined || name === "" ? String(next++) : name;
    const value = /^\d+$/.test(key) ? positional[Number(key)] : named.get(key);
    if (value === undefined) throw new JinjaError(`format has no argument ${key}`);
    const text = conversion === "r" ? reprOf(value) : strOf(value);
    return layout ? laidOut(value, text, layout) : text;
  });
}

function laidOut(value: Value, text: Text, layout: string): Text {
  const parts = /^([<>^])?(0)?(\d+)?(?:\.(\d+))?([dsf])?$/.exec(layout);
  if (!parts) throw new JinjaError(`format knows no layout ${JSON.stringify(layout)}`);
  const [, align, zero, width, precision, type] = parts;
  const body = type === "f" ? numberOf(value).toFixed(Number(precision ?? 6)) : text;
  const missing = Number(width ?? 0) - plain(body).length;
  if (missing <= 0) return body;
  const padding = (zero ? "0" : " ").repeat(missing);
  const toRight = align ? align === ">" : zero !== undefined || isInteger(value);
  return toRight ? joinTexts([padding, body]) : joinTexts([body, padding]);
}

/** `text % values`. */
export function formatPercent(source: Text, given: Value): Text {
  const values = given instanceof Tuple ? given.elements : [given];
  let next = 0;
  const formatted = replaceEach(source, PERCENT, ([, name, flags = "", width, precision, type]) => {
    if (type === "%") return "%";
    const value = name && given instanceof Dict ? given.get(name) : values[next++];
    if (value === undefined) throw new JinjaError("% has too few arguments");
    const text = percentText(value, type ?? "s", precision);
    const missing = Number(width ?? 0) - plain(text).length;
    if (missing <= 0) return text;
    if (flags.includes("-")) return joinTexts([text, " ".repeat(missing)]);
    return joinTexts([(flags.includes("0") ? "0" : " ").repeat(missing), text]);
  });
  if (!(given instanceof Dict) && next < values.length)
    throw new JinjaError("% has arguments that no conversion takes");
  return formatted;
}

function percentText(value: Value, type: string, precision: string | undefined): Text {
  if (type === "s") return strOf(value);
  if (type === "r") return reprOf(value);
  if (type === "d" || type === "i") return String(Math.trunc(numberOf(value)));
  if (type === "f") return numberOf(value).toFixed(Number(precision ?? 6));
  if (type === "x") return numberOf(value).toString(16);
  throw new JinjaError(`% knows no conversion ${type}`);
}

function numberOf(value: Value): number {
  if (value instanceof Float) return value.value;
  if (isInteger(value) || typeof value === "boolean") return Number(value);
  throw new JinjaError(`a number is needed, not ${typeName(value)}`);
}

function replaceEach(
  source: Text,
  pattern: RegExp,
  replace: (match: RegExpMatchArray) => Text,
): Text {
  const text = plain(source);
  const pieces: Text[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    pieces.push(sliceText(source, at, match.index), replace(match));
    at = match.index + match[0].length;
  }
  return joinTexts([...pieces, sliceText(source, at, text.length)]);
}
