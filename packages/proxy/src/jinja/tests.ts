import { operate } from "#jinja/arithmetic.ts";
import { isText, plain } from "#jinja/given-text.ts";
import { JinjaError } from "#jinja/jinja-error.ts";
import { compare, contains, isEqual } from "#jinja/python-compare.ts";
import { strOf } from "#jinja/python-text.ts";
import {
  Callable,
  Dict,
  Float,
  isInteger,
  Lazy,
  Tuple,
  Undefined,
  type Value,
} from "#jinja/python-values.ts";

type Test = (value: Value, ...args: Value[]) => boolean;

const isWholeNumber = (value: Value) => isInteger(value);
const isNumber = (value: Value) =>
  isInteger(value) || value instanceof Float || typeof value === "boolean";
const isSequence = (value: Value) =>
  isText(value) ||
  Array.isArray(value) ||
  value instanceof Tuple ||
  value instanceof Dict ||
  value instanceof Undefined;
const remainder = (value: Value, by: Value) => isEqual(operate("%", value, by), 0);
const ordered =
  (holds: (order: number) => boolean): Test =>
  (value, other = null) =>
    holds(compare(value, other));

const TESTS: Readonly<Record<string, Test>> = {
  defined: (value) => !(value instanceof Undefined),
  undefined: (value) => value instanceof Undefined,
  none: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  true: (value) => value === true,
  false: (value) => value === false,
  integer: isWholeNumber,
  float: (value) => value instanceof Float,
  number: isNumber,
  string: isText,
  mapping: (value) => value instanceof Dict,
  sequence: isSequence,
  iterable: (value) => isSequence(value) || value instanceof Lazy,
  callable: (value) => value instanceof Callable,
  even: (value) => remainder(value, 2),
  odd: (value) => !remainder(value, 2),
  divisibleby: (value, by = null) => remainder(value, by),
  in: (value, hay = null) => contains(hay, value),
  eq: (value, other = null) => isEqual(value, other),
  ne: (value, other = null) => !isEqual(value, other),
  lt: ordered((order) => order < 0),
  le: ordered((order) => order <= 0),
  gt: ordered((order) => order > 0),
  ge: ordered((order) => order >= 0),
  sameas: (value, other = null) =>
    value === other || (isText(value) && isText(other) && isEqual(value, other)),
  lower: (value) => {
    const text = plain(strOf(value));
    return /\p{Ll}/u.test(text) && !/\p{Lu}/u.test(text);
  },
  upper: (value) => {
    const text = plain(strOf(value));
    return /\p{Lu}/u.test(text) && !/\p{Ll}/u.test(text);
  },
};

const ALIASES: Readonly<Record<string, string>> = {
  equalto: "eq",
  "==": "eq",
  "!=": "ne",
  "<": "lt",
  lessthan: "lt",
  "<=": "le",
  ">": "gt",
  greaterthan: "gt",
  ">=": "ge",
};

/** jinja2's test of this name. Throws JinjaError where there is none. */
export function findTest(name: string): Test {
  const known = ALIASES[name] ?? name;
  const test = Object.hasOwn(TESTS, known) ? TESTS[known] : undefined;
  if (!test) throw new JinjaError(`the template uses a test that is not known: ${name}`);
  return test;
}
