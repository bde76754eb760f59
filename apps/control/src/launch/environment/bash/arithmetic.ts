import type { ArithmeticExpression, ArithmeticWord } from "unbash";
import type { Shell } from "#launch/environment/bash/shell.ts";
import {
  plain,
  type Text,
  textOf,
  type Unknown,
  unknownOf,
} from "#launch/environment/bash/text.ts";

/** A 64-bit integer, or what of an expression is unknown. */
export type Integer = bigint | Unknown;

export const isInteger = (value: Integer): value is bigint => typeof value === "bigint";
const MAX_DEPTH = 64;
const wrap = (value: bigint) => BigInt.asIntN(64, value);
const truth = (value: boolean) => (value ? 1n : 0n);

const BINARY: Record<string, (a: bigint, b: bigint) => bigint | null> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => (b === 0n ? null : a / b),
  "%": (a, b) => (b === 0n ? null : a % b),
  "**": (a, b) => (b < 0n ? null : power(a, b)),
  "<<": (a, b) => a << BigInt.asUintN(6, b),
  ">>": (a, b) => a >> BigInt.asUintN(6, b),
  "<": (a, b) => truth(a < b),
  ">": (a, b) => truth(a > b),
  "<=": (a, b) => truth(a <= b),
  ">=": (a, b) => truth(a >= b),
  "==": (a, b) => truth(a === b),
  "!=": (a, b) => truth(a !== b),
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
  ",": (_, b) => b,
};

function power(base: bigint, exponent: bigint): bigint {
  let [result, square, left] = [1n, wrap(base), BigInt.asUintN(64, exponent)];
  for (; left > 0n; left >>= 1n) {
    if (left & 1n) result = wrap(result * square);
    square = wrap(square * square);
  }
  return result;
}

/** The value of an arithmetic expression; assignments in it take effect. Throws what bash calls an error as unknown. */
export function evaluateArithmetic(
  shell: Shell,
  expression: ArithmeticExpression | undefined,
  depth = 0,
): Integer {
  if (expression === undefined) return 0n;
  shell.spend(1);
  if (depth > MAX_DEPTH) return { source: "$((…))", names: [] };
  const of = (part: ArithmeticExpression) => evaluateArithmetic(shell, part, depth + 1);
  switch (expression.type) {
    case "ArithmeticGroup":
      return of(expression.expression);
    case "ArithmeticWord":
      return valueOfWord(shell, expression, depth);
    case "ArithmeticCommandExpansion":
      return readNumber(
        shell,
        shell.capture(expression.script, expression.text, expression.pos),
        0,
      );
    case "ArithmeticTernary": {
      const test = of(expression.test);
      if (!isInteger(test)) return join([test, of(expression.consequent)], "? :");
      return of(test !== 0n ? expression.consequent : expression.alternate);
    }
    case "ArithmeticUnary":
      return unary(shell, expression, of);
    case "ArithmeticBinary":
      return binary(shell, expression, of);
  }
}

function unary(
  shell: Shell,
  { operator, operand, prefix }: Extract<ArithmeticExpression, { type: "ArithmeticUnary" }>,
  of: (part: ArithmeticExpression) => Integer,
): Integer {
  const value = of(operand);
  if (operator === "++" || operator === "--") {
    const next = isInteger(value) ? wrap(value + (operator === "++" ? 1n : -1n)) : value;
    assign(shell, operand, next);
    return prefix ? next : value;
  }
  if (!isInteger(value)) return { ...value, source: `${operator}${value.source}` };
  if (operator === "-") return wrap(-value);
  if (operator === "!") return truth(value === 0n);
  return operator === "~" ? ~value : value;
}

function binary(
  shell: Shell,
  { operator, left, right }: Extract<ArithmeticExpression, { type: "ArithmeticBinary" }>,
  of: (part: ArithmeticExpression) => Integer,
): Integer {
  if (operator === "&&" || operator === "||") {
    const first = of(left);
    if (isInteger(first) && (first !== 0n) === (operator === "||")) return truth(first !== 0n);
    const second = of(right);
    if (isInteger(first) && isInteger(second)) return truth(second !== 0n);
    return join([first, second], operator);
  }
  const isAssignment = /^(?:[-+*/%&|^]|<<|>>)?=$/.test(operator);
  const second = of(right);
  if (isAssignment) {
    const action = operator.slice(0, -1);
    const value = action === "" ? second : apply(of(left), second, action);
    assign(shell, left, value);
    return value;
  }
  return apply(of(left), second, operator);
}

function apply(left: Integer, right: Integer, operator: string): Integer {
  if (!isInteger(left) || !isInteger(right)) return join([left, right], operator);
  const value = BINARY[operator]?.(left, right) ?? null;
  return value === null ? { source: `${left}${operator}${right}`, names: [] } : wrap(value);
}

function join(values: readonly Integer[], operator: string): Unknown {
  const sourceOf = (value: Integer | undefined) =>
    value === undefined ? "…" : isInteger(value) ? String(value) : value.source;
  return {
    source: `${sourceOf(values[0])}${operator}${sourceOf(values[1])}`.slice(0, 200),
    names: values.flatMap((value) => (isInteger(value) ? [] : [...value.names])),
  };
}

function assign(shell: Shell, target: ArithmeticExpression, value: Integer): void {
  if (target.type !== "ArithmeticWord") return;
  const [, name, index] = /^([A-Za-z_]\w*)(?:\[(.*)\])?$/s.exec(target.value) ?? [];
  if (name === undefined) return;
  const text: Text = isInteger(value)
    ? textOf(String(value), shell.at(target.pos))
    : [{ unknown: value, at: shell.at(target.pos) }];
  shell.variables.assign(name, text, index === undefined ? undefined : shell.indexOf(name, index));
}

function valueOfWord(shell: Shell, word: ArithmeticWord, depth: number): Integer {
  const hasParts = word.parts !== undefined && word.parts.length > 0;
  const text = hasParts
    ? shell.expandParts(word.parts ?? [])
    : textOf(word.value, shell.at(word.pos));
  return readNumber(shell, text, depth);
}

/** A number, or a name whose value is an expression in its turn. */
function readNumber(shell: Shell, text: Text, depth: number): Integer {
  const word = plain(text)?.trim();
  if (word === undefined) {
    const [only] = text;
    return only && text.length === 1 && "unknown" in only
      ? only.unknown
      : unknownOf([text], "$((…))");
  }
  if (word === "") return 0n;
  const number = parseInteger(word);
  if (number !== null) return number;
  const [, name, index] = /^([A-Za-z_]\w*)(?:\[([^\]]*)\])?$/.exec(word) ?? [];
  if (name === undefined) return shell.evaluateExpression(word, depth + 1);
  shell.variables.markRead(name);
  const value = shell.variables.get(
    name,
    index === undefined ? undefined : shell.indexOf(name, index),
  );
  if (value === undefined) return 0n;
  return depth > MAX_DEPTH ? { source: word, names: [name] } : readNumber(shell, value, depth + 1);
}

export function parseInteger(word: string): bigint | null {
  const [, sign, base, digits] = /^([-+]?)(?:(\d{1,2})#)?([\w@]{1,64})$/.exec(word) ?? [];
  if (digits === undefined) return null;
  const value = base === undefined ? plainInteger(digits) : inBase(digits, Number(base));
  return value === null ? null : wrap(sign === "-" ? -value : value);
}

function plainInteger(digits: string): bigint | null {
  if (/^0[xX][0-9a-fA-F]+$/.test(digits)) return BigInt(digits);
  if (/^0[0-7]+$/.test(digits)) return BigInt(`0o${digits.slice(1)}`);
  return /^(?:0|[1-9]\d*)$/.test(digits) ? BigInt(digits) : null;
}

function inBase(digits: string, base: number): bigint | null {
  if (base < 2 || base > 36) return null;
  let value = 0n;
  for (const digit of digits.toLowerCase()) {
    const one = Number.parseInt(digit, 36);
    if (Number.isNaN(one) || one >= base) return null;
    value = value * BigInt(base) + BigInt(one);
  }
  return value;
}
