import { operate } from "#jinja/arithmetic.ts";
import { bindArguments, integerArgument } from "#jinja/bind-arguments.ts";
import { isText, joinTexts, like, plain } from "#jinja/given-text.ts";
import { iterate } from "#jinja/iterate.ts";
import { JinjaError } from "#jinja/jinja-error.ts";
import { getAttribute, getItem } from "#jinja/look-up.ts";
import { compare, isEqual } from "#jinja/python-compare.ts";
import { strOf } from "#jinja/python-text.ts";
import {
  Dict,
  expectPlain,
  isTrue,
  Lazy,
  type NamedArguments,
  orUndefined,
  Tuple,
  Undefined,
  type Value,
} from "#jinja/python-values.ts";

type Filter = (value: Value, positional: readonly Value[], named: NamedArguments) => Value;

const filter =
  (
    names: readonly string[],
    run: (value: Value, ...bound: (Value | undefined)[]) => Value,
  ): Filter =>
  (value, positional, named) =>
    run(value, ...bindArguments("a filter", names, positional, named));

/** Reads `a.b.0` of each element; without a path, the element itself. */
export function attributeReader(path: Value | undefined): (element: Value) => Value {
  if (path === undefined || path === null) return (element) => element;
  const keys = isText(path)
    ? plain(path)
        .split(".")
        .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
    : [path];
  return (element) => keys.reduce<Value>((at, key) => getItem(at, key), element);
}

const folded = (value: Value, caseSensitive: Value | undefined): Value =>
  isText(value) && !isTrue(caseSensitive ?? false)
    ? like(value, plain(value).toLowerCase())
    : value;

function sorted(
  values: readonly Value[],
  keyOf: (value: Value) => Value,
  descending: boolean,
): Value[] {
  const keyed = values.map((value) => ({ key: keyOf(value), value }));
  keyed.sort((a, b) => (descending ? compare(b.key, a.key) : compare(a.key, b.key)));
  return keyed.map(({ value }) => value);
}

function extreme(sign: number): Filter {
  return filter(["case_sensitive", "attribute"], (value, caseSensitive, attribute) => {
    const read = attributeReader(attribute);
    const keyOf = (element: Value) => folded(read(element), caseSensitive);
    const [first, ...others] = iterate(value);
    if (first === undefined) return new Undefined("what an empty sequence holds at most");
    return others.reduce(
      (best, next) => (sign * compare(keyOf(next), keyOf(best)) > 0 ? next : best),
      first,
    );
  });
}

function unique(
  value: Value,
  caseSensitive: Value | undefined,
  attribute: Value | undefined,
): Lazy {
  const read = attributeReader(attribute);
  const seen: Value[] = [];
  return new Lazy(
    iterate(value).filter((element) => {
      const key = folded(read(element), caseSensitive);
      if (seen.some((other) => isEqual(other, key))) return false;
      seen.push(key);
      return true;
    }),
  );
}

function dictSorted(
  value: Value,
  caseSensitive: Value | undefined,
  by: Value,
  reverse: Value,
): Value {
  if (!(value instanceof Dict)) throw new JinjaError("dictsort needs a mapping");
  const at = expectPlain(by, "what dictsort sorts by") === "value" ? 1 : 0;
  return sorted(
    value.entries().map((entry) => new Tuple(entry)),
    (entry) => folded(entry instanceof Tuple ? (entry.elements[at] ?? null) : null, caseSensitive),
    isTrue(reverse),
  );
}

function itemsOf(value: Value): Value {
  if (value instanceof Undefined) return new Lazy([]);
  if (!(value instanceof Dict)) throw new JinjaError("items needs a mapping");
  return new Lazy(value.entries().map((entry) => new Tuple(entry)));
}

function grouped(value: Value, attribute: Value | undefined, other: Value | undefined): Value {
  const read = attributeReader(attribute);
  const keyOf = (element: Value) => {
    const key = read(element);
    return key instanceof Undefined && other !== undefined ? other : key;
  };
  const groups: [Value, Value[]][] = [];
  for (const element of sorted(iterate(value), (at) => folded(keyOf(at), false), false)) {
    const last = groups.at(-1);
    if (last && isEqual(folded(last[0], false), folded(keyOf(element), false)))
      last[1].push(element);
    else groups.push([keyOf(element), [element]]);
  }
  return groups.map((group) => new Tuple(group));
}

function batched(value: Value, size: Value | undefined, fill: Value | undefined): Lazy {
  const length = integerArgument(size, 1);
  const batches: Value[][] = [];
  for (const element of iterate(value)) {
    const last = batches.at(-1);
    if (last && last.length < length) last.push(element);
    else batches.push([element]);
  }
  const last = batches.at(-1);
  while (last && fill !== undefined && fill !== null && last.length < length) last.push(fill);
  return new Lazy(batches);
}

function lastOf(value: Value): Value {
  if (value instanceof Lazy) throw new JinjaError("what is read once has no last element");
  return orUndefined(iterate(value).at(-1), "the last of nothing");
}

/** jinja2's filters of sequences that need no filter or test of their own. */
export const SEQUENCE_FILTERS: Readonly<Record<string, Filter>> = {
  list: filter([], (value) => [...iterate(value)]),
  first: filter([], (value) =>
    orUndefined(
      value instanceof Lazy ? value.takeFirst() : iterate(value)[0],
      "the first of nothing",
    ),
  ),
  last: filter([], lastOf),
  join: filter(["d", "attribute"], (value, separator = "", attribute) => {
    const read = attributeReader(attribute);
    return joinTexts(
      iterate(value).map((element) => strOf(read(element))),
      strOf(separator),
    );
  }),
  items: filter([], itemsOf),
  dictsort: filter(
    ["case_sensitive", "by", "reverse"],
    (value, sensitive, by = "key", reverse = false) => dictSorted(value, sensitive, by, reverse),
  ),
  sort: filter(
    ["reverse", "case_sensitive", "attribute"],
    (value, reverse, sensitive, attribute) => {
      const read = attributeReader(attribute);
      return sorted(iterate(value), (at) => folded(read(at), sensitive), isTrue(reverse ?? false));
    },
  ),
  unique: filter(["case_sensitive", "attribute"], unique),
  min: extreme(-1),
  max: extreme(1),
  sum: filter(["attribute", "start"], (value, attribute, start = 0) =>
    iterate(value)
      .map(attributeReader(attribute))
      .reduce((sum, next) => operate("+", sum, next), start),
  ),
  groupby: filter(["attribute", "default"], grouped),
  batch: filter(["linecount", "fill_with"], batched),
  attr: filter(["name"], (value, name) => getAttribute(value, expectPlain(name, "the attribute"))),
};
