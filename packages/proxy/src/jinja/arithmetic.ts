import { formatPercent } from "#jinja/format-text.ts";
import { isText, joinTexts } from "#jinja/given-text.ts";
import { JinjaError } from "#jinja/jinja-error.ts";
import {
  Float,
  integer,
  isInteger,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "#jinja/python-values.ts";

const LONGEST_REPEAT = 1_000_000;

/** `left OPERATOR right` for `+ - * / // % **`. */
export function operate(operator: string, left: Value, right: Value): Value {
  if (typeof left === "number" && typeof right === "number" && "+-".includes(operator)) {
    const sum = operator === "+" ? left + right : left - right;
    if (Number.isSafeInteger(sum)) return sum;
  }
  if (operator === "%" && isText(left)) return formatPercent(left, right);
  const joined = operator === "+" ? concatenated(left, right) : repeated(operator, left, right);
  return joined === undefined ? calculate(operator, left, right) : joined;
}

function calculate(operator: string, left: Value, right: Value): Value {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a === null || b === null) {
    if (left instanceof Undefined) left.fail();
    if (right instanceof Undefined) right.fail();
    throw new JinjaError(`${typeName(left)} ${operator} ${typeName(right)} is not possible`);
  }
  if (a instanceof Float || b instanceof Float || operator === "/")
    return new Float(floats(operator, Number(sizeOf(a)), Number(sizeOf(b))));
  return integers(operator, BigInt(a), BigInt(b));
}

function concatenated(left: Value, right: Value): Value | undefined {
  if (typeof left === "string" && typeof right === "string") return left + right;
  if (isText(left) && isText(right)) return joinTexts([left, right]);
  if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
  if (left instanceof Tuple && right instanceof Tuple)
    return new Tuple([...left.elements, ...right.elements]);
  return undefined;
}

function repeated(operator: string, left: Value, right: Value): Value | undefined {
  if (operator !== "*") return undefined;
  const [many, times] = isInteger(left) ? [right, left] : [left, right];
  if (!isInteger(times) || !(isText(many) || Array.isArray(many))) return undefined;
  const count = Math.max(0, Number(times));
  if (count > LONGEST_REPEAT) throw new JinjaError("the template repeats something too often");
  return isText(many)
    ? joinTexts(Array.from({ length: count }, () => many))
    : Array.from({ length: count }, () => many).flat();
}

function numberOf(value: Value): number | bigint | Float | null {
  if (typeof value === "boolean") return Number(value);
  return isInteger(value) || value instanceof Float ? value : null;
}

const sizeOf = (value: number | bigint | Float) => (value instanceof Float ? value.value : value);

function floats(operator: string, a: number, b: number): number {
  if (b === 0 && ["/", "//", "%"].includes(operator)) throw new JinjaError("division by zero");
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "//":
      return Math.floor(a / b);
    case "%":
      return a - Math.floor(a / b) * b;
    default:
      return a ** b;
  }
}

function integers(operator: string, a: bigint, b: bigint): Value {
  if (b === 0n && ["//", "%"].includes(operator)) throw new JinjaError("division by zero");
  const modulo = () => ((a % b) + b) % b;
  switch (operator) {
    case "+":
      return integer(a + b);
    case "-":
      return integer(a - b);
    case "*":
      return integer(a * b);
    case "//":
      return integer((a - modulo()) / b);
    case "%":
      return integer(modulo());
    default:
      return b < 0n ? new Float(Number(a) ** Number(b)) : integer(a ** b);
  }
}

/** `-value`. */
export function negate(value: Value): Value {
  if (value instanceof Float) return new Float(-value.value);
  return operate("-", 0, value);
}
