import { JinjaError } from "#jinja/jinja-error.ts";
import type { Arguments, Expression, FilterStep } from "#jinja/syntax.ts";
import type { TokenStream } from "#jinja/token-stream.ts";

const COMPARISONS = ["==", "!=", "<", "<=", ">", ">="];
const CONSTANTS: Readonly<Record<string, boolean | null>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};
const NO_ARGUMENTS: Arguments = { positional: [], named: [], spread: null, namedSpread: null };

type Parse = (tokens: TokenStream) => Expression;

/**
 * One expression, with jinja2 3.1's precedence, or a tuple where commas follow. `condition: false` leaves a
 * trailing `if` alone; `stop` are names that end it.
 */
export function parseTuple(
  tokens: TokenStream,
  { condition = true, parenthesised = false, stop = [] as readonly string[] } = {},
): Expression {
  const elements: Expression[] = [];
  let isTuple = false;
  const atEnd = () =>
    tokens.is("end-block") ||
    tokens.is("end-print") ||
    tokens.is("operator", ")") ||
    tokens.isName(...stop);
  while (!atEnd()) {
    elements.push(condition ? parseExpression(tokens) : parseOr(tokens));
    if (!tokens.skip("operator", ",")) break;
    isTuple = true;
  }
  const [only] = elements;
  if (only && !isTuple) return only;
  if (!only && !parenthesised)
    throw new JinjaError("the template has a tag without its expression");
  return { kind: "tuple", elements };
}

/** One expression. */
export function parseExpression(tokens: TokenStream): Expression {
  let expression = parseOr(tokens);
  while (tokens.skip("name", "if")) {
    const test = parseOr(tokens);
    const otherwise = tokens.skip("name", "else") ? parseExpression(tokens) : null;
    expression = { kind: "condition", test, whenTrue: expression, otherwise };
  }
  return expression;
}

function leftAssociative(
  tokens: TokenStream,
  inner: Parse,
  takes: (tokens: TokenStream) => boolean,
): Expression {
  let left = inner(tokens);
  while (takes(tokens)) {
    const operator = tokens.next().text;
    left = { kind: "binary", operator, left, right: inner(tokens) };
  }
  return left;
}

const parseOr: Parse = (tokens) => leftAssociative(tokens, parseAnd, (at) => at.isName("or"));
const parseAnd: Parse = (tokens) => leftAssociative(tokens, parseNot, (at) => at.isName("and"));
const parseNot: Parse = (tokens) =>
  tokens.skip("name", "not")
    ? { kind: "unary", operator: "not", operand: parseNot(tokens) }
    : parseCompare(tokens);

function parseCompare(tokens: TokenStream): Expression {
  const first = parseSum(tokens);
  const rest: [string, Expression][] = [];
  for (;;) {
    if (tokens.isOperator(...COMPARISONS)) rest.push([tokens.next().text, parseSum(tokens)]);
    else if (tokens.skip("name", "in")) rest.push(["in", parseSum(tokens)]);
    else if (tokens.isName("not") && tokens.peek(1).text === "in") {
      tokens.next();
      tokens.next();
      rest.push(["not in", parseSum(tokens)]);
    } else break;
  }
  return rest.length === 0 ? first : { kind: "compare", first, rest };
}

const parseSum: Parse = (tokens) =>
  leftAssociative(tokens, parseConcat, (at) => at.isOperator("+", "-"));

function parseConcat(tokens: TokenStream): Expression {
  const first = parseProduct(tokens);
  const parts = [first];
  while (tokens.skip("operator", "~")) parts.push(parseProduct(tokens));
  return parts.length === 1 ? first : { kind: "concat", parts };
}

const parseProduct: Parse = (tokens) =>
  leftAssociative(tokens, parsePower, (at) => at.isOperator("*", "/", "//", "%"));
const parsePower: Parse = (tokens) =>
  leftAssociative(
    tokens,
    (at) => parseUnary(at, true),
    (at) => at.isOperator("**"),
  );

function parseUnary(tokens: TokenStream, withFilter: boolean): Expression {
  let expression: Expression;
  if (tokens.isOperator("-", "+")) {
    const operator = tokens.next().text === "-" ? "-" : "+";
    expression = { kind: "unary", operator, operand: parseUnary(tokens, false) };
  } else {
    expression = parsePrimary(tokens);
  }
  expression = parsePostfix(tokens, expression);
  return withFilter ? parseFilters(tokens, expression) : expression;
}

function parsePrimary(tokens: TokenStream): Expression {
  const token = tokens.next();
  switch (token.kind) {
    case "name": {
      const constant = CONSTANTS[token.text];
      return constant === undefined
        ? { kind: "name", name: token.text }
        : { kind: "constant", value: constant };
    }
    case "string": {
      let value = token.text;
      while (tokens.is("string")) value += tokens.next().text;
      return { kind: "constant", value };
    }
    case "integer": {
      const exact = BigInt(token.text);
      const value = Number(exact);
      return { kind: "constant", value: Number.isSafeInteger(value) ? value : exact };
    }
    case "float":
      return { kind: "float", value: Number(token.text) };
    default:
      return parseBracketed(tokens, token.text);
  }
}

function parseBracketed(tokens: TokenStream, opener: string): Expression {
  if (opener === "(") {
    const inner = parseTuple(tokens, { parenthesised: true });
    tokens.expect("operator", ")");
    return inner;
  }
  if (opener === "[")
    return { kind: "list", elements: parseElements(tokens, "]", parseExpression) };
  if (opener === "{") {
    const entries = parseElements(tokens, "}", (at): [Expression, Expression] => {
      const key = parseExpression(at);
      at.expect("operator", ":");
      return [key, parseExpression(at)];
    });
    return { kind: "dict", entries };
  }
  throw new JinjaError(`the template has an unexpected ${opener}`);
}

function parseElements<T>(
  tokens: TokenStream,
  closer: string,
  parse: (tokens: TokenStream) => T,
): T[] {
  const elements: T[] = [];
  while (!tokens.is("operator", closer)) {
    if (elements.length > 0) tokens.expect("operator", ",");
    if (tokens.is("operator", closer)) break;
    elements.push(parse(tokens));
  }
  tokens.expect("operator", closer);
  return elements;
}

function parsePostfix(tokens: TokenStream, start: Expression): Expression {
  let expression = start;
  for (;;) {
    if (tokens.is("operator", ".") || tokens.is("operator", "["))
      expression = parseSubscript(tokens, expression);
    else if (tokens.is("operator", "("))
      expression = { kind: "call", callee: expression, given: parseArguments(tokens) };
    else return expression;
  }
}

function parseSubscript(tokens: TokenStream, object: Expression): Expression {
  if (tokens.next().text === ".") {
    if (tokens.is("name")) return { kind: "attribute", object, name: tokens.next().text };
    const value = Number(tokens.expect("integer").text);
    return { kind: "subscript", object, key: { kind: "constant", value } };
  }
  const keys: Expression[] = [];
  let bounds: (Expression | null)[] | null = null;
  while (!tokens.is("operator", "]")) {
    if (keys.length > 0) tokens.expect("operator", ",");
    const key = parseKey(tokens);
    if (Array.isArray(key)) bounds = key;
    else keys.push(key);
  }
  tokens.expect("operator", "]");
  if (bounds) return { kind: "slice", object, bounds };
  const [only] = keys;
  if (!only) throw new JinjaError("the template has an empty subscript");
  return {
    kind: "subscript",
    object,
    key: keys.length === 1 ? only : { kind: "tuple", elements: keys },
  };
}

/** A key, or the bounds of a slice. */
function parseKey(tokens: TokenStream): Expression | (Expression | null)[] {
  const bound = () =>
    tokens.is("operator", ":") || tokens.is("operator", "]") ? null : parseExpression(tokens);
  const start = bound();
  if (!tokens.skip("operator", ":")) {
    if (!start) throw new JinjaError("the template has an empty subscript");
    return start;
  }
  const stop = bound();
  return [start, stop, tokens.skip("operator", ":") ? bound() : null];
}

/** `(a, b=1, *c, **d)`. */
export function parseArguments(tokens: TokenStream): Arguments {
  tokens.expect("operator", "(");
  const given: Arguments = { positional: [], named: [], spread: null, namedSpread: null };
  let first = true;
  while (!tokens.is("operator", ")")) {
    if (!first) tokens.expect("operator", ",");
    if (!first && tokens.is("operator", ")")) break;
    first = false;
    if (tokens.skip("operator", "*")) given.spread = parseExpression(tokens);
    else if (tokens.skip("operator", "**")) given.namedSpread = parseExpression(tokens);
    else if (
      tokens.is("name") &&
      tokens.peek(1).kind === "operator" &&
      tokens.peek(1).text === "="
    ) {
      const name = tokens.next().text;
      tokens.next();
      given.named.push([name, parseExpression(tokens)]);
    } else given.positional.push(parseExpression(tokens));
  }
  tokens.expect("operator", ")");
  return given;
}

function parseFilters(tokens: TokenStream, start: Expression): Expression {
  let expression = start;
  for (;;) {
    if (tokens.is("operator", "|"))
      for (const step of parseFilterSteps(tokens))
        expression = { kind: "filter", operand: expression, ...step };
    else if (tokens.skip("name", "is")) expression = parseTest(tokens, expression);
    else if (tokens.is("operator", "("))
      expression = { kind: "call", callee: expression, given: parseArguments(tokens) };
    else return expression;
  }
}

/** `|a|b(1)`; with `first`, the first bar may be missing, as in a filter block. */
export function parseFilterSteps(tokens: TokenStream, { first = false } = {}): FilterStep[] {
  const steps: FilterStep[] = [];
  while (tokens.skip("operator", "|") || (first && steps.length === 0)) {
    const name = parseDotted(tokens);
    const given = tokens.is("operator", "(") ? parseArguments(tokens) : NO_ARGUMENTS;
    steps.push({ name, given });
  }
  return steps;
}

function parseDotted(tokens: TokenStream): string {
  let name = tokens.expect("name").text;
  while (tokens.skip("operator", ".")) name += `.${tokens.expect("name").text}`;
  return name;
}

function parseTest(tokens: TokenStream, operand: Expression): Expression {
  const negated = tokens.skip("name", "not");
  const name = parseDotted(tokens);
  return { kind: "test", operand, name, given: parseTestArguments(tokens), negated };
}

function parseTestArguments(tokens: TokenStream): Arguments {
  if (tokens.is("operator", "(")) return parseArguments(tokens);
  const startsOne =
    tokens.is("string") ||
    tokens.is("integer") ||
    tokens.is("float") ||
    tokens.isOperator("[", "{") ||
    (tokens.is("name") && !tokens.isName("else", "or", "and"));
  if (!startsOne) return NO_ARGUMENTS;
  if (tokens.isName("is")) throw new JinjaError("the template chains tests with is");
  return { ...NO_ARGUMENTS, positional: [parsePostfix(tokens, parsePrimary(tokens))] };
}
