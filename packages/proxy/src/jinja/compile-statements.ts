import {
  callValue,
  compileArguments,
  compileExpression,
  type Evaluate,
} from "#jinja/compile-expression.ts";
import { TextBuilder } from "#jinja/given-text.ts";
import { iterate } from "#jinja/iterate.ts";
import { JinjaError } from "#jinja/jinja-error.ts";
import { loopOf } from "#jinja/loop-of.ts";
import { strOf } from "#jinja/python-text.ts";
import {
  Attributes,
  Callable,
  isTrue,
  type NamedArguments,
  orUndefined,
  Tuple,
  type Value,
} from "#jinja/python-values.ts";
import { Scope } from "#jinja/scope.ts";
import { findAnyFilter } from "#jinja/select-filters.ts";
import type { FilterStep, Parameter, Statement, Target } from "#jinja/syntax.ts";

/** Whether a loop goes on after a statement. */
type Signal = "on" | "break" | "continue";
export type Execute = (scope: Scope, out: TextBuilder) => Signal;
type Of<K extends Statement["kind"]> = Extract<Statement, { kind: K }>;

/** Statements as one function that writes what they print. */
export function compileStatements(statements: readonly Statement[]): Execute {
  const compiled = statements.map(compileStatement);
  return (scope, out) => {
    for (const execute of compiled) {
      const signal = execute(scope, out);
      if (signal !== "on") return signal;
    }
    return "on";
  };
}

function compileStatement(statement: Statement): Execute {
  switch (statement.kind) {
    case "text":
      return printing(() => statement.text);
    case "print":
      return printing(compileExpression(statement.value));
    case "if":
      return compileIf(statement);
    case "for":
      return compileFor(statement);
    case "set": {
      const [assign, value] = [compileTarget(statement.target), compileExpression(statement.value)];
      return quietly((scope) => assign(scope, value(scope)));
    }
    case "set-block": {
      const assign = compileTarget(statement.target);
      const body = capturing(statement.body, statement.filters);
      return quietly((scope) => assign(scope, body(scope)));
    }
    case "macro": {
      const macro = compileMacro(statement.name, statement.parameters, statement.body);
      return quietly((scope) => scope.set(statement.name, macro(scope)));
    }
    case "call-block":
      return compileCallBlock(statement);
    case "filter-block":
      return printing(capturing(statement.body, statement.filters));
    case "with":
      return compileWith(statement);
    case "scope": {
      const body = compileStatements(statement.body);
      return (scope, out) => body(new Scope(scope), out);
    }
    case "break":
    case "continue":
      return () => statement.kind;
  }
}

const printing =
  (value: Evaluate): Execute =>
  (scope, out) => {
    out.add(strOf(value(scope)));
    return "on";
  };

const quietly =
  (act: (scope: Scope) => void): Execute =>
  (scope) => {
    act(scope);
    return "on";
  };

/** What a body prints, through filters. */
function capturing(statements: readonly Statement[], filters: readonly FilterStep[]): Evaluate {
  const body = compileStatements(statements);
  const steps = filters.map(({ name, given }) => ({ name, bind: compileArguments(given) }));
  return (scope) => {
    const inner = new Scope(scope);
    const out = new TextBuilder();
    body(inner, out);
    return steps.reduce<Value>((value, { name, bind }) => {
      const { positional, named } = bind(inner);
      return findAnyFilter(name)(value, positional, named);
    }, out.build());
  };
}

function compileTarget(target: Target): (scope: Scope, value: Value) => void {
  if (target.kind === "name") return (scope, value) => scope.set(target.name, value);
  if (target.kind === "namespace")
    return (scope, value) => {
      const held = scope.get(target.name);
      if (!(held instanceof Attributes && held.kind === "namespace"))
        throw new JinjaError(`can not set an attribute of '${target.name}', which is no namespace`);
      held.values.set(target.attribute, value);
    };
  const targets = target.elements.map(compileTarget);
  return (scope, value) => {
    const values = iterate(value);
    if (values.length !== targets.length)
      throw new JinjaError(`${values.length} values are assigned to ${targets.length} names`);
    for (const [i, assign] of targets.entries()) assign(scope, values[i] ?? null);
  };
}

function compileIf({ branches, otherwise }: Of<"if">): Execute {
  const compiled = branches.map(([test, body]) => ({
    test: compileExpression(test),
    body: compileStatements(body),
  }));
  const last = compileStatements(otherwise);
  return (scope, out) => {
    for (const { test, body } of compiled) if (isTrue(test(scope))) return body(scope, out);
    return last(scope, out);
  };
}

function compileFor(statement: Of<"for">): Execute {
  const assign = compileTarget(statement.target);
  const iterable = compileExpression(statement.iterable);
  const test = statement.test && compileExpression(statement.test);
  const body = compileStatements(statement.body);
  const otherwise = compileStatements(statement.otherwise);
  const keeps = (scope: Scope, value: Value) => {
    const inner = new Scope(scope);
    assign(inner, value);
    return test === null || isTrue(test(inner));
  };
  return (scope, out) => {
    const all = iterate(iterable(scope));
    const values = test ? all.filter((value) => keeps(scope, value)) : all;
    if (values.length === 0) return otherwise(scope, out);
    const loop = loopOf(values);
    for (const [i, value] of values.entries()) {
      const inner = new Scope(scope);
      inner.set("loop", loop.at(i));
      assign(inner, value);
      if (body(inner, out) === "break") break;
    }
    return "on";
  };
}

function compileMacro(
  name: string,
  parameters: readonly Parameter[],
  statements: readonly Statement[],
): (scope: Scope) => Callable {
  const compiled = parameters.map(({ name: parameter, fallback }) => ({
    parameter,
    fallback: fallback && compileExpression(fallback),
  }));
  const body = compileStatements(statements);
  return (defined) =>
    new Callable(name, (positional, named) => {
      const scope = new Scope(defined);
      for (const [i, { parameter, fallback }] of compiled.entries()) {
        const given = i < positional.length ? positional[i] : named.get(parameter);
        const value = given === undefined ? fallback?.(scope) : given;
        scope.set(parameter, orUndefined(value, `parameter '${parameter}' of ${name}`));
      }
      setRest(scope, compiled.length, positional, named, name);
      const out = new TextBuilder();
      body(scope, out);
      return out.build();
    });
}

function setRest(
  scope: Scope,
  parameters: number,
  positional: readonly Value[],
  named: NamedArguments,
  name: string,
): void {
  scope.set("varargs", new Tuple(positional.slice(parameters)));
  scope.set("caller", orUndefined(named.get("caller"), `the caller of ${name}`));
}

function compileCallBlock({ call, parameters, body }: Of<"call-block">): Execute {
  if (call.kind !== "call") throw new JinjaError("the template has a call block without a call");
  const callee = compileExpression(call.callee);
  const bind = compileArguments(call.given);
  const caller = compileMacro("caller", parameters, body);
  return printing((scope) => {
    const { positional, named } = bind(scope);
    return callValue(callee(scope), {
      positional,
      named: new Map([...named, ["caller", caller(scope)]]),
    });
  });
}

function compileWith({ targets, body }: Of<"with">): Execute {
  const compiled = targets.map(([target, value]) => ({
    assign: compileTarget(target),
    value: compileExpression(value),
  }));
  const statements = compileStatements(body);
  return (scope, out) => {
    const inner = new Scope(scope);
    for (const { assign, value } of compiled) assign(inner, value(scope));
    return statements(inner, out);
  };
}
