import { negate, operate } from "#jinja/arithmetic.ts";
import { NO_NAMES } from "#jinja/bind-arguments.ts";
import { joinTexts, plain } from "#jinja/given-text.ts";
import { iterate } from "#jinja/iterate.ts";
import { JinjaError } from "#jinja/jinja-error.ts";
import { getAttribute, getItem, getSlice } from "#jinja/look-up.ts";
import { compare, contains, isEqual } from "#jinja/python-compare.ts";
import { strOf } from "#jinja/python-text.ts";
import {
  Callable,
  Dict,
  Float,
  isTrue,
  type NamedArguments,
  orUndefined,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "#jinja/python-values.ts";
import type { Scope } from "#jinja/scope.ts";
import { findAnyFilter } from "#jinja/select-filters.ts";
import type { Arguments, Expression } from "#jinja/syntax.ts";
import { findTest } from "#jinja/tests.ts";

export type Evaluate = (scope: Scope) => Value;
type Of<K extends Expression["kind"]> = Extract<Expression, { kind: K }>;

/** An expression as a function of its scope. What a template may never reach is compiled without complaint, as jinja2 does. */
export function compileExpression(expression: Expression): Evaluate {
  switch (expression.kind) {
    case "constant": {
      const { value } = expression;
      return () => value;
    }
    case "float": {
      const value = new Float(expression.value);
      return () => value;
    }
    case "name": {
      const { name } = expression;
      return (scope) => scope.get(name);
    }
    case "list": {
      const elements = expression.elements.map(compileExpression);
      return (scope) => elements.map((element) => element(scope));
    }
    case "tuple": {
      const elements = expression.elements.map(compileExpression);
      return (scope) => new Tuple(elements.map((element) => element(scope)));
    }
    case "dict":
      return compileDict(expression);
    case "attribute": {
      const object = compileExpression(expression.object);
      const { name } = expression;
      return (scope) => getAttribute(object(scope), name);
    }
    case "subscript": {
      const [object, key] = [expression.object, expression.key].map(compileExpression);
      return (scope) => getItem(run(object, scope), run(key, scope));
    }
    case "slice": {
      const object = compileExpression(expression.object);
      const bounds = expression.bounds.map((bound) => bound && compileExpression(bound));
      return (scope) =>
        getSlice(
          object(scope),
          bounds.map((bound) => bound?.(scope)),
        );
    }
    case "concat": {
      const parts = expression.parts.map(compileExpression);
      return (scope) => joinTexts(parts.map((part) => strOf(part(scope))));
    }
    default:
      return compileOperation(expression);
  }
}

type Operation = Of<"call" | "filter" | "test" | "unary" | "binary" | "compare" | "condition">;

function compileOperation(expression: Operation): Evaluate {
  switch (expression.kind) {
    case "call":
      return compileCall(expression);
    case "filter":
      return compileFilter(expression);
    case "test":
      return compileTest(expression);
    case "unary":
      return compileUnary(expression);
    case "binary":
      return compileBinary(expression);
    case "compare":
      return compileCompare(expression);
    case "condition": {
      const [test, whenTrue] = [expression.test, expression.whenTrue].map(compileExpression);
      const otherwise = expression.otherwise && compileExpression(expression.otherwise);
      return (scope) => {
        if (isTrue(run(test, scope))) return run(whenTrue, scope);
        return orUndefined(otherwise?.(scope), "the value of an if without an else");
      };
    }
  }
}

const run = (evaluate: Evaluate | undefined, scope: Scope): Value => {
  if (!evaluate) throw new Error("an expression was not compiled");
  return evaluate(scope);
};

function compileDict({ entries }: Of<"dict">): Evaluate {
  const compiled = entries.map((entry) => entry.map(compileExpression));
  return (scope) => {
    const dict = new Dict();
    for (const [key, value] of compiled) dict.set(run(key, scope), run(value, scope));
    return dict;
  };
}

export interface BoundArguments {
  positional: readonly Value[];
  named: NamedArguments;
}

export function compileArguments(given: Arguments): (scope: Scope) => BoundArguments {
  const positional = given.positional.map(compileExpression);
  const named = given.named.map(([name, value]) => ({ name, value: compileExpression(value) }));
  const spread = given.spread && compileExpression(given.spread);
  const namedSpread = given.namedSpread && compileExpression(given.namedSpread);
  if (named.length === 0 && !spread && !namedSpread)
    return (scope) => ({ positional: positional.map((value) => value(scope)), named: NO_NAMES });
  return (scope) => {
    const values = positional.map((value) => value(scope));
    const names = new Map(named.map(({ name, value }) => [name, value(scope)]));
    if (spread) values.push(...iterate(spread(scope)));
    const more = namedSpread?.(scope);
    if (more instanceof Dict)
      for (const [name, value] of more.entries()) names.set(plain(strOf(name)), value);
    return { positional: values, named: names };
  };
}

export function callValue(callee: Value, { positional, named }: BoundArguments): Value {
  if (callee instanceof Callable) return callee.call(positional, named);
  if (callee instanceof Undefined) callee.fail();
  throw new JinjaError(`${typeName(callee)} can not be called`);
}

function compileCall({ callee, given }: Of<"call">): Evaluate {
  const [function_, bind] = [compileExpression(callee), compileArguments(given)];
  return (scope) => callValue(function_(scope), bind(scope));
}

function compileFilter({ operand, name, given }: Of<"filter">): Evaluate {
  const [value, bind] = [compileExpression(operand), compileArguments(given)];
  return (scope) => {
    const { positional, named } = bind(scope);
    return findAnyFilter(name)(value(scope), positional, named);
  };
}

function compileTest({ operand, name, given, negated }: Of<"test">): Evaluate {
  if (name === "filter" || name === "test") return compileKnown(operand, name, negated);
  const [value, bind] = [compileExpression(operand), compileArguments(given)];
  return (scope) => findTest(name)(value(scope), ...bind(scope).positional) !== negated;
}

/** `"tojson" is filter`. */
function compileKnown(operand: Expression, kind: "filter" | "test", negated: boolean): Evaluate {
  const value = compileExpression(operand);
  return (scope) => {
    try {
      const name = plain(strOf(value(scope)));
      if (kind === "filter") findAnyFilter(name);
      else findTest(name);
      return !negated;
    } catch (error) {
      if (error instanceof JinjaError) return negated;
      throw error;
    }
  };
}

function compileUnary({ operator, operand }: Of<"unary">): Evaluate {
  const value = compileExpression(operand);
  if (operator === "not") return (scope) => !isTrue(value(scope));
  if (operator === "-") return (scope) => negate(value(scope));
  return (scope) => operate("+", 0, value(scope));
}

function compileBinary({ operator, left, right }: Of<"binary">): Evaluate {
  const [a, b] = [compileExpression(left), compileExpression(right)];
  if (operator === "or")
    return (scope) => {
      const first = a(scope);
      return isTrue(first) ? first : b(scope);
    };
  if (operator === "and")
    return (scope) => {
      const first = a(scope);
      return isTrue(first) ? b(scope) : first;
    };
  return (scope) => operate(operator, a(scope), b(scope));
}

const COMPARISONS: Readonly<Record<string, (left: Value, right: Value) => boolean>> = {
  "==": isEqual,
  "!=": (left, right) => !isEqual(left, right),
  "<": (left, right) => compare(left, right) < 0,
  "<=": (left, right) => compare(left, right) <= 0,
  ">": (left, right) => compare(left, right) > 0,
  ">=": (left, right) => compare(left, right) >= 0,
  in: (left, right) => contains(right, left),
  "not in": (left, right) => !contains(right, left),
};

function compileCompare({ first, rest }: Of<"compare">): Evaluate {
  const start = compileExpression(first);
  const steps = rest.map(([operator, operand]) => {
    const holds = COMPARISONS[operator];
    if (!holds) throw new JinjaError(`the template compares by ${operator}`);
    return { holds, operand: compileExpression(operand) };
  });
  return (scope) => {
    let left = start(scope);
    for (const { holds, operand } of steps) {
      const right = operand(scope);
      if (!holds(left, right)) return false;
      left = right;
    }
    return true;
  };
}
