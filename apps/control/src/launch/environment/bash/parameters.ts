import type { ParameterExpansionPart, ParameterOperation, SimpleExpansionPart } from "unbash";
import {
  compilePattern,
  matches,
  type Pattern,
  prefixEnds,
} from "#launch/environment/bash/pattern.ts";
import type { Shell } from "#launch/environment/bash/shell.ts";
import {
  EMPTY,
  hasCharacters,
  lengthOf,
  likely,
  mapText,
  plain,
  sliceText,
  type Text,
  textOf,
  unknownOf,
  unknownText,
} from "#launch/environment/bash/text.ts";
import { numberOf } from "#launch/environment/bash/variables.ts";
import type { Expansion } from "#launch/environment/bash/words.ts";

/** Replacing looks at each character of a text: one that is longer is left as unknown. */
const MAX_REPLACED = 4_000;

const asText = (text: Text): Expansion => ({ kind: "text", text });

export function expandSimple(shell: Shell, part: SimpleExpansionPart): Expansion {
  const name = part.text.slice(1);
  if (name === "@" || name === "*")
    return { kind: "list", items: shell.argumentList(), isJoined: name === "*" };
  const at = shell.at(part.pos);
  return asText(lookUp(shell, name, undefined) ?? shell.outside(name, part.text, at));
}

/** What the script itself knows of a parameter; undefined where it is unset or comes from outside. */
function lookUp(shell: Shell, name: string, index: string | undefined): Text | undefined {
  return shell.special(name) ?? readVariable(shell, name, index);
}

function readVariable(shell: Shell, name: string, index: string | undefined): Text | undefined {
  shell.variables.markRead(name);
  return shell.variables.get(name, index);
}

export function expandParameter(shell: Shell, part: ParameterExpansionPart): Expansion {
  const { parameter, operation } = part;
  const index = part.index?.text;
  const isAll = index === "@" || index === "*" || parameter === "@" || parameter === "*";
  if (operation?.type === "Names")
    return {
      kind: "list",
      items: shell.variables
        .names()
        .filter((name) => name.startsWith(parameter))
        .map((name) => textOf(name, shell.at(part.pos))),
      isJoined: operation.operator === "*",
    };
  if (isAll) return expandList(shell, part, index ?? parameter);
  const at = shell.at(part.pos);
  const name = part.prefix === "!" ? indirect(shell, part) : parameter;
  if (name === null) return asText(unknownText({ source: part.text, names: [parameter] }, at));
  const key = index === undefined ? undefined : shell.indexOf(name, index);
  const value = lookUp(shell, name, key);
  if (part.prefix === "#") {
    const text = value ?? shell.outside(name, part.text, at);
    const known = plain(text);
    return asText(
      known === null
        ? unknownText(unknownOf([text], part.text), at)
        : textOf(String(known.length), at),
    );
  }
  if (!operation) return asText(value ?? shell.outside(name, part.text, at));
  if (operation.type === "Default")
    return orDefault(shell, { name, key, value, part }, operation, at);
  return asText(operate(shell, { name, value, part, operation }));
}

/** `${!name}`: the parameter that the value of `name` names. */
function indirect(shell: Shell, part: ParameterExpansionPart): string | null {
  if (shell.variables.resolve(part.parameter) !== part.parameter)
    return shell.variables.resolve(part.parameter);
  const text = lookUp(shell, part.parameter, undefined);
  return text === undefined ? null : plain(text);
}

function expandList(shell: Shell, part: ParameterExpansionPart, which: string): Expansion {
  const { parameter, operation, prefix } = part;
  const at = shell.at(part.pos);
  const isArguments = parameter === "@" || parameter === "*";
  shell.variables.markRead(parameter);
  const variable = shell.variables.find(parameter);
  const items = isArguments ? shell.argumentList() : [...(variable?.items.values() ?? [])];
  if (prefix === "#")
    return asText(isArguments ? shell.argumentCount(at) : textOf(String(items.length), at));
  if (prefix === "!")
    return list(
      [...(variable?.items.keys() ?? [])].map((key) => textOf(key, at)),
      which,
    );
  if (!isArguments && items.length === 0 && !shell.variables.isOwn(parameter) && !operation)
    return asText(EMPTY);
  if (!operation) return list(items, which);
  if (operation.type === "Default") {
    const isSet = items.length > 0;
    const isNull = !isSet || items.every((item) => plain(item) === "");
    const isPresent = operation.operator.startsWith(":") ? !isNull : isSet;
    const operand: Expansion = { kind: "word", word: operation.operand };
    if (operation.operator.endsWith("+")) return isPresent ? operand : asText(EMPTY);
    return isPresent ? list(items, which) : operand;
  }
  if (operation.type === "Slice") {
    const offset = numberOf(evaluated(shell, operation.offset.text)) ?? 0;
    const count = operation.length ? numberOf(evaluated(shell, operation.length.text)) : null;
    // `${A[@]:1}` counts by the index, `${@:1}` from the first argument.
    const keys = isArguments
      ? items.map((_, i) => i + 1)
      : [...(variable?.items.keys() ?? [])].map(Number);
    const from = offset < 0 ? (keys.at(-1) ?? 0) + 1 + offset : offset;
    const kept = items.filter((_, i) => (keys[i] ?? 0) >= from);
    return list(count === null ? kept : kept.slice(0, Math.max(0, count)), which);
  }
  const each = items.map((value) => operate(shell, { name: parameter, value, part, operation }));
  return list(each, which);
}

const list = (items: readonly Text[], which: string): Expansion => ({
  kind: "list",
  items,
  isJoined: which === "*",
});

interface Operand {
  name: string;
  value: Text | undefined;
  part: ParameterExpansionPart;
  operation: Exclude<ParameterOperation, { type: "Default" }>;
}

function operate(shell: Shell, operand: Operand): Text {
  const { name, value, part, operation } = operand;
  const at = shell.at(part.pos);
  const text = value ?? shell.outside(name, part.text, at);
  const unknown = () => unknownText(unknownOf([text], part.text), at);
  switch (operation.type) {
    case "Remove":
      return removeMatch(shell, text, operation) ?? unknown();
    case "Replace":
      return replaceMatches(shell, text, operation) ?? unknown();
    case "Slice": {
      const offset = numberOf(evaluated(shell, operation.offset.text));
      const length = operation.length ? numberOf(evaluated(shell, operation.length.text)) : null;
      if (plain(text) === null || offset === null || (operation.length && length === null))
        return unknown();
      const size = lengthOf(text);
      const from = Math.max(0, offset < 0 ? size + offset : offset);
      const to = length === null ? size : length < 0 ? size + length : from + length;
      return sliceText(text, from, to);
    }
    case "CaseModification":
      return changeCase(shell, text, operation) ?? unknown();
    case "Transform":
      return transform(text, operation.operand.text) ?? unknown();
    case "Names":
    case "Unknown":
      return unknown();
  }
}

const evaluated = (shell: Shell, expression: string): Text => {
  const value = shell.evaluateExpression(expression.trim(), 0);
  return typeof value === "bigint" ? textOf(String(value), 0) : unknownText(value, 0);
};

function orDefault(
  shell: Shell,
  {
    name,
    key,
    value,
    part,
  }: {
    name: string;
    key: string | undefined;
    value: Text | undefined;
    part: ParameterExpansionPart;
  },
  operation: Extract<ParameterOperation, { type: "Default" }>,
  at: number,
): Expansion {
  const { operator, operand } = operation;
  const given =
    value ?? (shell.isGivenOutside(name) ? shell.outside(name, part.text, at) : undefined);
  const isPresent = isSet(given, operator.startsWith(":"));
  if (operator.endsWith("+")) return isPresent ? { kind: "word", word: operand } : asText(EMPTY);
  if (isPresent && given !== undefined) return asText(given);
  // `${X:?message}` ends the script unless X is given from outside.
  if (operator.endsWith("?")) {
    if (shell.variables.isOwn(name)) shell.exit(1);
    return asText(unknownText({ source: `$${name}`, names: [name] }, at));
  }
  if (!operator.endsWith("=")) return { kind: "word", word: operand };
  const fallback = shell.expand(operand);
  shell.variables.assign(name, fallback, key);
  return asText(fallback);
}

function isSet(value: Text | undefined, mustHaveCharacters: boolean): boolean {
  if (value === undefined) return false;
  if (!mustHaveCharacters) return plain(value) !== null || likely(value) !== "";
  return hasCharacters(value) || (plain(value) === null && likely(value) !== "");
}

function removeMatch(
  shell: Shell,
  text: Text,
  { operator, operand }: Extract<ParameterOperation, { type: "Remove" }>,
): Text | null {
  const known = plain(text);
  if (known === null) return removePath(text, operator, operand.text);
  const chars = shell.pattern(operand);
  if (chars === null) return null;
  const pattern = compilePattern(chars);
  const size = known.length;
  if (operator.startsWith("#")) {
    const ends = prefixEnds(pattern, known);
    if (ends === null) return null;
    if (ends.size === 0) return text;
    return sliceText(text, operator === "#" ? least(ends) : greatest(ends));
  }
  shell.spend(Math.ceil(size / 20));
  const starts = Array.from({ length: size + 1 }, (_, i) => i);
  if (operator === "%") starts.reverse();
  for (const from of starts) {
    const isMatch = matches(pattern, known.slice(from));
    if (isMatch === null) return null;
    if (isMatch) return sliceText(text, 0, from);
  }
  return text;
}

const least = (all: Iterable<number>) => [...all].reduce((a, b) => Math.min(a, b));
const greatest = (all: Iterable<number>) => [...all].reduce((a, b) => Math.max(a, b));

/** `##*\/` and `%/*` of a text whose end is known need no more than that end. */
function removePath(text: Text, operator: string, pattern: string): Text | null {
  const isName = operator === "##" && pattern === "*/";
  if (!isName && !(operator === "%" && pattern === "/*")) return null;
  let end = lengthOf(text);
  for (const piece of [...text].reverse()) {
    if ("unknown" in piece) return null;
    const slash = piece.text.lastIndexOf("/");
    if (slash !== -1) {
      const at = end - piece.text.length + slash;
      return isName ? sliceText(text, at + 1) : sliceText(text, 0, at);
    }
    end -= piece.text.length;
  }
  return null;
}

function replaceMatches(
  shell: Shell,
  text: Text,
  { operator, pattern, replacement }: Extract<ParameterOperation, { type: "Replace" }>,
): Text | null {
  const known = plain(text);
  const chars = shell.pattern(pattern);
  if (known === null || chars === null || known.length > MAX_REPLACED) return null;
  const by = shell.expand(replacement);
  const compiled = compilePattern(chars);
  if (chars.length === 0) return text;
  if (operator === "/#" || operator === "/%")
    return replaceAtEdge(shell, text, known, { operator, compiled, by });
  const result: Text[] = [];
  let from = 0;
  for (let at = 0; at < known.length; ) {
    shell.spend(1);
    const ends = prefixEnds(compiled, known, at);
    if (ends === null) return null;
    const end = ends.size === 0 ? at : greatest(ends);
    if (end === at) {
      at += 1;
      continue;
    }
    result.push(sliceText(text, from, at), by);
    at = end;
    from = end;
    if (operator === "/") break;
  }
  return [...result.flat(), ...sliceText(text, from)];
}

function replaceAtEdge(
  shell: Shell,
  text: Text,
  known: string,
  { operator, compiled, by }: { operator: string; compiled: Pattern; by: Text },
): Text | null {
  if (operator === "/#") {
    const ends = prefixEnds(compiled, known);
    if (ends === null) return null;
    return ends.size === 0 ? text : [...by, ...sliceText(text, greatest(ends))];
  }
  for (let from = 0; from <= known.length; from++) {
    shell.spend(1);
    const isMatch = matches(compiled, known.slice(from));
    if (isMatch === null) return null;
    if (isMatch) return [...sliceText(text, 0, from), ...by];
  }
  return text;
}

function changeCase(
  shell: Shell,
  text: Text,
  { operator, operand }: Extract<ParameterOperation, { type: "CaseModification" }>,
): Text | null {
  const chars = operand === undefined ? [] : shell.pattern(operand);
  if (chars === null) return null;
  const pattern = chars.length === 0 ? null : compilePattern(chars);
  const isUpper = operator.startsWith("^");
  const change = (char: string) => {
    if (pattern !== null && matches(pattern, char) !== true) return char;
    return isUpper ? char.toUpperCase() : char.toLowerCase();
  };
  const all = (part: string) => part.split("").map(change).join("");
  if (operator.length === 2) return plain(text) === null ? null : mapText(text, all);
  const [first] = text;
  if (first === undefined) return text;
  if ("unknown" in first) return null;
  return [...mapText(sliceText(text, 0, 1), all), ...sliceText(text, 1)];
}

function transform(text: Text, how: string): Text | null {
  if (plain(text) === null) return null;
  if (how === "U") return mapText(text, (part) => part.toUpperCase());
  if (how === "L") return mapText(text, (part) => part.toLowerCase());
  const [first] = text;
  if (first === undefined) return how === "Q" ? textOf("''", 0) : text;
  if (how === "u")
    return [...mapText(sliceText(text, 0, 1), (part) => part.toUpperCase()), ...sliceText(text, 1)];
  if (how !== "Q") return null;
  const quoted = mapText(text, (part) => part.replaceAll("'", "'\\''"));
  return [...textOf("'", first.at), ...quoted, ...textOf("'", first.at)];
}
