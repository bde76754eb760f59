import { negate, operate } from "#jinja/arithmetic.ts";
import { bindArguments, integerArgument } from "#jinja/bind-arguments.ts";
import { charactersOf, lengthOf } from "#jinja/code-points.ts";
import { formatPercent } from "#jinja/format-text.ts";
import { isText, joinTexts, like, plain, type Text } from "#jinja/given-text.ts";
import { iterate } from "#jinja/iterate.ts";
import { JinjaError } from "#jinja/jinja-error.ts";
import { compare } from "#jinja/python-compare.ts";
import { strOf } from "#jinja/python-text.ts";
import {
  Dict,
  expectPlain,
  expectText,
  Float,
  isInteger,
  isTrue,
  type NamedArguments,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "#jinja/python-values.ts";
import { SEQUENCE_FILTERS } from "#jinja/sequence-filters.ts";
import { splitLines } from "#jinja/split-text.ts";
import { stripText } from "#jinja/strip-text.ts";
import { capitalised, replaceText } from "#jinja/text-methods.ts";
import { type JsonLayout, toJson } from "#jinja/to-json.ts";

export type Filter = (value: Value, positional: readonly Value[], named: NamedArguments) => Value;

const filter =
  (
    names: readonly string[],
    run: (value: Value, ...bound: (Value | undefined)[]) => Value,
  ): Filter =>
  (value, positional, named) =>
    run(value, ...bindArguments("a filter", names, positional, named));

const jsonFilter = filter(
  ["ensure_ascii", "indent", "separators", "sort_keys"],
  (value, ensureAscii, indent, separators, sortKeys) => {
    const layout: JsonLayout = {
      ensureAscii: ensureAscii !== undefined && isTrue(ensureAscii),
      indent: indentOf(indent),
      separators: separatorsOf(separators, indentOf(indent) !== null),
      sortKeys: sortKeys !== undefined && isTrue(sortKeys),
    };
    return toJson(value, layout);
  },
);

function indentOf(indent: Value | undefined): string | null {
  if (indent === undefined || indent === null) return null;
  return isText(indent) ? plain(indent) : " ".repeat(Math.max(0, integerArgument(indent, 0)));
}

function separatorsOf(given: Value | undefined, indented: boolean): readonly [Text, Text] {
  if (given === undefined || given === null) return [indented ? "," : ", ", ": "];
  const [item, key] = iterate(given);
  return [expectText(item, "a separator"), expectText(key, "a separator")];
}

function lengthOfValue(value: Value): number {
  if (isText(value)) return lengthOf(value);
  if (value instanceof Dict) return value.size;
  if (value instanceof Tuple) return value.elements.length;
  if (Array.isArray(value)) return value.length;
  if (value instanceof Undefined) return 0;
  throw new JinjaError(`${typeName(value)} has no length`);
}

function toInteger(value: Value, fallback: Value, base: number): Value {
  if (value instanceof Float)
    return Number.isFinite(value.value) ? Math.trunc(value.value) : fallback;
  if (isInteger(value)) return value;
  if (typeof value === "boolean") return Number(value);
  if (!isText(value)) return fallback;
  const text = plain(stripText(value, null)).replaceAll("_", "");
  if (base === 10 && /^[+-]?\d+$/.test(text)) {
    const exact = BigInt(text.replace(/^\+/, ""));
    return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
  }
  if (base !== 10) {
    const parsed = Number.parseInt(text, base);
    return Number.isNaN(parsed) ? fallback : parsed;
  }
  const float = toFloat(text, fallback);
  return float instanceof Float ? toInteger(float, fallback, base) : fallback;
}

function toFloat(value: Value, fallback: Value): Value {
  if (value instanceof Float) return value;
  if (isInteger(value) || typeof value === "boolean") return new Float(Number(value));
  if (!isText(value)) return fallback;
  const text = plain(stripText(value, null)).replaceAll("_", "");
  const isFloat = /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text);
  return isFloat ? new Float(Number(text)) : fallback;
}

/** Python rounds halves to the even neighbour. */
function rounded(value: Value, precision: number, method: string): Value {
  const number = toFloat(value, new Float(Number.NaN));
  if (!(number instanceof Float)) throw new JinjaError("round needs a number");
  const scale = 10 ** precision;
  const scaled = number.value * scale;
  if (method === "ceil") return new Float(Math.ceil(scaled) / scale);
  if (method === "floor") return new Float(Math.floor(scaled) / scale);
  const floor = Math.floor(scaled);
  const up = scaled - floor > 0.5 || (scaled - floor === 0.5 && floor % 2 !== 0);
  return new Float((up ? floor + 1 : floor) / scale);
}

function indented(text: Text, width: Value | undefined, first: boolean, blank: boolean): Text {
  const margin = isText(width ?? null)
    ? expectPlain(width, "the width")
    : " ".repeat(integerArgument(width, 4));
  // jinja2 adds a newline before it splits, so that a last empty line is kept.
  const lines = splitLines(joinTexts([text, "\n"]), false);
  const laidOut = lines.map((line, i) =>
    (i === 0 ? first : blank || plain(line) !== "") ? joinTexts([margin, line]) : line,
  );
  return joinTexts(laidOut, "\n");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&#39;",
  '"': "&#34;",
};
const escaped = filter([], (value) => {
  const text = strOf(value);
  return like(
    text,
    plain(text).replace(/[&<>'"]/g, (mark) => ESCAPES[mark] ?? mark),
  );
});

const WORD_START = /([-\s({[<]+)/;
const titled = (text: string) =>
  text
    .split(WORD_START)
    .map((word) => capitalised(word))
    .join("");

const asText = (change: (text: string) => string): Filter =>
  filter([], (value) => {
    const text = strOf(value);
    return like(text, change(plain(text)));
  });

const fallback = filter(["default_value", "boolean"], (value, other = "", boolean = false) =>
  value instanceof Undefined || (isTrue(boolean) && !isTrue(value)) ? other : value,
);
const length = filter([], lengthOfValue);

function absolute(value: Value): Value {
  return compare(value, 0) < 0 ? negate(value) : operate("+", value, 0);
}

const FILTERS: Readonly<Record<string, Filter>> = {
  ...SEQUENCE_FILTERS,
  tojson: jsonFilter,
  default: fallback,
  d: fallback,
  length,
  count: length,
  string: filter([], strOf),
  // Nothing is escaped in these templates, so nothing has to be marked as safe.
  safe: filter([], strOf),
  escape: escaped,
  e: escaped,
  forceescape: escaped,
  trim: filter(["chars"], (value, chars) =>
    stripText(
      strOf(value),
      chars === undefined || chars === null ? null : expectPlain(chars, "chars"),
    ),
  ),
  upper: asText((text) => text.toUpperCase()),
  lower: asText((text) => text.toLowerCase()),
  title: asText(titled),
  capitalize: asText(capitalised),
  replace: filter(["old", "new", "count"], (value, old, fresh, count) =>
    replaceText(
      strOf(value),
      expectPlain(old, "what is replaced"),
      expectText(fresh, "the replacement"),
      integerArgument(count, -1),
    ),
  ),
  format: (value, positional) => formatPercent(strOf(value), new Tuple(positional)),
  indent: filter(["width", "first", "blank"], (value, width, first, blank) =>
    indented(strOf(value), width, isTrue(first ?? false), isTrue(blank ?? false)),
  ),
  int: filter(["default", "base"], (value, other = 0, base) =>
    toInteger(value, other, integerArgument(base, 10)),
  ),
  float: filter(["default"], (value, other = new Float(0)) => toFloat(value, other)),
  round: filter(["precision", "method"], (value, precision, method = "common") =>
    rounded(value, integerArgument(precision, 0), expectPlain(method, "the method")),
  ),
  abs: filter([], absolute),
  wordcount: filter([], (value) => (plain(strOf(value)).match(/[\p{L}\p{N}_]+/gu) ?? []).length),
  reverse: filter([], (value) =>
    isText(value) ? joinTexts(charactersOf(value).reverse()) : [...iterate(value)].reverse(),
  ),
};

/** jinja2's filter of this name. Throws JinjaError where there is none. */
export function findFilter(name: string): Filter {
  const found = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  if (!found) throw new JinjaError(`the template uses a filter that is not known: ${name}`);
  return found;
}
