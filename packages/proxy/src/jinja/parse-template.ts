import { JinjaError } from "#jinja/jinja-error.ts";
import { lexTemplate } from "#jinja/lex-template.ts";
import {
  parseArguments,
  parseExpression,
  parseFilterSteps,
  parseTuple,
} from "#jinja/parse-expression.ts";
import type { Parameter, Statement, Target } from "#jinja/syntax.ts";
import { TokenStream } from "#jinja/token-stream.ts";

type ParseStatement = (tokens: TokenStream) => Statement;

/** Parses a chat template. Throws JinjaError, also for statements that no chat template has (`include`, `extends`, …). */
export function parseTemplate(source: string): Statement[] {
  const tokens = new TokenStream(lexTemplate(source));
  const body = parseBody(tokens, []);
  if (!tokens.isAtEnd) throw new JinjaError("the template closes a block that it did not open");
  return body;
}

/** Statements up to a tag that begins with one of `ends`, whose name is left to read. */
function parseBody(tokens: TokenStream, ends: readonly string[]): Statement[] {
  const body: Statement[] = [];
  while (!tokens.isAtEnd) {
    const token = tokens.next();
    if (token.kind === "text") body.push({ kind: "text", text: token.text });
    else if (token.kind === "begin-print") {
      body.push({ kind: "print", value: parseTuple(tokens) });
      tokens.expect("end-print");
    } else {
      if (tokens.isName(...ends)) return body;
      body.push(parseStatement(tokens));
    }
  }
  if (ends.length > 0) throw new JinjaError(`the template ends without ${ends.join(" or ")}`);
  return body;
}

function parseStatement(tokens: TokenStream): Statement {
  const { text: name } = tokens.expect("name");
  const parse = STATEMENTS[name];
  if (!parse) throw new JinjaError(`the template has a statement that is not known: ${name}`);
  return parse(tokens);
}

/** The body of a block and its closing tag. */
function parseBlock(tokens: TokenStream, end: string): Statement[] {
  tokens.expect("end-block");
  const body = parseBody(tokens, [end]);
  tokens.expect("name", end);
  return body;
}

/** A block whose closing tag ends right after its name. */
function parseClosedBlock(tokens: TokenStream, end: string): Statement[] {
  const body = parseBlock(tokens, end);
  tokens.expect("end-block");
  return body;
}

const parseIf: ParseStatement = (tokens) => {
  const branches: Extract<Statement, { kind: "if" }>["branches"] = [];
  let otherwise: Statement[] = [];
  for (;;) {
    const test = parseTuple(tokens, { condition: false });
    tokens.expect("end-block");
    branches.push([test, parseBody(tokens, ["elif", "else", "endif"])]);
    const { text } = tokens.next();
    if (text === "elif") continue;
    if (text === "else") otherwise = parseBlock(tokens, "endif");
    tokens.expect("end-block");
    return { kind: "if", branches, otherwise };
  }
};

const parseFor: ParseStatement = (tokens) => {
  const target = parseTarget(tokens, ["in"]);
  tokens.expect("name", "in");
  const iterable = parseTuple(tokens, { condition: false, stop: ["recursive", "if"] });
  const test = tokens.skip("name", "if") ? parseExpression(tokens) : null;
  if (tokens.isName("recursive"))
    throw new JinjaError("the template has a recursive loop, which is not supported");
  tokens.expect("end-block");
  const body = parseBody(tokens, ["endfor", "else"]);
  const otherwise = tokens.next().text === "else" ? parseBlock(tokens, "endfor") : [];
  tokens.expect("end-block");
  return { kind: "for", target, iterable, test, body, otherwise };
};

const parseSet: ParseStatement = (tokens) => {
  const target = parseTarget(tokens, []);
  if (tokens.skip("operator", "=")) {
    const value = parseTuple(tokens);
    tokens.expect("end-block");
    return { kind: "set", target, value };
  }
  const filters = parseFilterSteps(tokens);
  return { kind: "set-block", target, filters, body: parseClosedBlock(tokens, "endset") };
};

const parseMacro: ParseStatement = (tokens) => {
  const { text: name } = tokens.expect("name");
  const parameters = parseParameters(tokens);
  tokens.expect("end-block");
  const body = parseBody(tokens, ["endmacro"]);
  tokens.next();
  tokens.skip("name");
  tokens.expect("end-block");
  return { kind: "macro", name, parameters, body };
};

const parseCall: ParseStatement = (tokens) => {
  const parameters = tokens.is("operator", "(") ? parseParameters(tokens) : [];
  const call = parseExpression(tokens);
  if (call.kind !== "call") throw new JinjaError("the template has a call block without a call");
  return { kind: "call-block", call, parameters, body: parseClosedBlock(tokens, "endcall") };
};

const parseWith: ParseStatement = (tokens) => {
  const targets: Extract<Statement, { kind: "with" }>["targets"] = [];
  while (!tokens.is("end-block")) {
    if (targets.length > 0) tokens.expect("operator", ",");
    const target = parseTarget(tokens, []);
    tokens.expect("operator", "=");
    targets.push([target, parseExpression(tokens)]);
  }
  return { kind: "with", targets, body: parseClosedBlock(tokens, "endwith") };
};

const endTag = (statement: Statement, tokens: TokenStream): Statement => {
  tokens.expect("end-block");
  return statement;
};

const STATEMENTS: Readonly<Record<string, ParseStatement>> = {
  if: parseIf,
  for: parseFor,
  set: parseSet,
  macro: parseMacro,
  call: parseCall,
  with: parseWith,
  filter: (tokens) => ({
    kind: "filter-block",
    filters: parseFilterSteps(tokens, { first: true }),
    body: parseClosedBlock(tokens, "endfilter"),
  }),
  // Hugging Face's tag around what the assistant says: a scope that prints its body.
  generation: (tokens) => ({ kind: "scope", body: parseClosedBlock(tokens, "endgeneration") }),
  break: (tokens) => endTag({ kind: "break" }, tokens),
  continue: (tokens) => endTag({ kind: "continue" }, tokens),
};

function parseParameters(tokens: TokenStream): Parameter[] {
  const { positional, named, spread, namedSpread } = parseArguments(tokens);
  if (spread || namedSpread) throw new JinjaError("the template spreads a macro's parameters");
  return [
    ...positional.map((parameter) => {
      if (parameter.kind !== "name") throw new JinjaError("a macro's parameter is no name");
      return { name: parameter.name, fallback: null };
    }),
    ...named.map(([name, fallback]) => ({ name, fallback })),
  ];
}

function parseTarget(tokens: TokenStream, stop: readonly string[]): Target {
  const elements: Target[] = [];
  let isTuple = false;
  do {
    if (elements.length > 0) isTuple = true;
    if (tokens.isName(...stop) || tokens.is("operator", "=")) break;
    elements.push(parseOneTarget(tokens, stop));
  } while (tokens.skip("operator", ","));
  const [only] = elements;
  if (!only) throw new JinjaError("the template assigns to nothing");
  return isTuple ? { kind: "tuple", elements } : only;
}

function parseOneTarget(tokens: TokenStream, stop: readonly string[]): Target {
  if (tokens.skip("operator", "(")) {
    const inner = parseTarget(tokens, stop);
    tokens.expect("operator", ")");
    return inner;
  }
  const { text: name } = tokens.expect("name");
  if (!tokens.skip("operator", ".")) return { kind: "name", name };
  return { kind: "namespace", name, attribute: tokens.expect("name").text };
}
