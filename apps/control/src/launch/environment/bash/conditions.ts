import type { TestExpression, Word } from "unbash";
import { isInteger, parseInteger } from "#launch/environment/bash/arithmetic.ts";
import { compilePattern, compileRegex, matches } from "#launch/environment/bash/pattern.ts";
import type { Shell } from "#launch/environment/bash/shell.ts";
import {
  hasCharacters,
  likely,
  plain,
  show,
  type Text,
  unknownsOf,
  unknownText,
} from "#launch/environment/bash/text.ts";

/** What a test comes to: known, or what is likely and the text that it depends on. */
export type Truth = boolean | Doubt;
export interface Doubt {
  /** The test with its values filled in: the same question gets the same answer. */
  question: string;
  assumed: boolean;
  names: readonly string[];
  /** `$1 = npu`: answering yes makes the unknown known. */
  equals?: { source: string; value: string };
}

export const isDoubt = (truth: Truth): truth is Doubt => typeof truth === "object";

const FILE_TESTS = new Set([..."abcdefghkprstuwxGLNOS"].map((letter) => `-${letter}`));
const NUMERIC: Record<string, (a: bigint, b: bigint) => boolean> = {
  "-eq": (a, b) => a === b,
  "-ne": (a, b) => a !== b,
  "-lt": (a, b) => a < b,
  "-le": (a, b) => a <= b,
  "-gt": (a, b) => a > b,
  "-ge": (a, b) => a >= b,
};

export function not(truth: Truth): Truth {
  if (!isDoubt(truth)) return !truth;
  const { equals, ...doubt } = truth;
  return { ...doubt, question: `! ${truth.question}`, assumed: !truth.assumed };
}

/** `[[ … ]]`. */
export function testExpression(shell: Shell, expression: TestExpression): Truth {
  shell.spend(1);
  switch (expression.type) {
    case "TestGroup":
      return testExpression(shell, expression.expression);
    case "TestNot": {
      const inner = testExpression(shell, expression.operand);
      return expression.negations.length % 2 === 1 ? not(inner) : inner;
    }
    case "TestLogical":
      return testLogical(shell, expression);
    case "TestUnary": {
      if (expression.operator === "-v")
        return isSetVariable(shell, shell.expand(expression.operand));
      return unaryTest(shell, expression.operator, shell.expand(expression.operand));
    }
    case "TestBinary":
      return testBinary(shell, expression);
  }
}

function testLogical(
  shell: Shell,
  { operator, operands }: Extract<TestExpression, { type: "TestLogical" }>,
): Truth {
  const stops = operator === "||";
  let last: Truth = !stops;
  for (const operand of operands) {
    const truth = testExpression(shell, operand);
    const known = isDoubt(truth) ? shell.ask(truth, operand) : truth;
    last = known;
    if (known === stops) return known;
  }
  return last;
}

function testBinary(
  shell: Shell,
  { operator, left, right }: Extract<TestExpression, { type: "TestBinary" }>,
): Truth {
  const value = shell.expand(left);
  if (operator === "=~") return regexTest(shell, value, right);
  if (operator in NUMERIC) return compareNumbers(shell, operator, value, shell.expand(right), true);
  if (operator === "=" || operator === "==" || operator === "!=") {
    const truth = matchText(shell, value, right);
    return operator === "!=" ? not(truth) : truth;
  }
  return binaryTest(shell, operator, value, shell.expand(right));
}

/** Whether a text matches a pattern, of `[[ a == b ]]` or `case a in b)`. */
export function matchText(shell: Shell, value: Text, pattern: Word): Truth {
  const chars = shell.pattern(pattern);
  const isLiteral = chars?.every(({ char, isQuoted }) => isQuoted || !"*?[\\(@!+".includes(char));
  const literal = isLiteral ? (chars ?? []).map(({ char }) => char).join("") : null;
  if (literal !== null) return equalTexts(value, literal);
  const known = plain(value);
  const compiled = chars === null ? null : compilePattern(chars);
  if (known !== null && compiled !== null) {
    const isMatch = matches(compiled, known);
    if (isMatch !== null) return isMatch;
  }
  if (compiled !== null && chars?.length === 1 && chars[0]?.char === "*") return true;
  const guess = likely(value);
  return {
    question: `${show(value)} matches ${pattern.text}`,
    assumed: guess !== null && compiled !== null && matches(compiled, guess) === true,
    names: unknownsOf(value).flatMap(({ names }) => names),
  };
}

function equalTexts(value: Text, literal: string): Truth {
  const known = plain(value);
  if (known !== null) return known === literal;
  const [first] = value;
  const last = value.at(-1);
  if (first && "text" in first && !literal.startsWith(first.text)) return false;
  if (last && "text" in last && !literal.endsWith(last.text)) return false;
  const isAlone = value.length === 1 && first && "unknown" in first;
  return {
    question: `${show(value)} = ${literal}`,
    assumed: likely(value) === literal,
    names: unknownsOf(value).flatMap(({ names }) => names),
    ...(isAlone && { equals: { source: first.unknown.source, value: literal } }),
  };
}

function sameTexts(left: Text, right: Text): Truth {
  const [a, b] = [plain(left), plain(right)];
  if (b !== null) return equalTexts(left, b);
  if (a !== null) return equalTexts(right, a);
  return {
    question: `${show(left)} = ${show(right)}`,
    assumed: show(left) === show(right),
    names: [...unknownsOf(left), ...unknownsOf(right)].flatMap(({ names }) => names),
  };
}

/** `test …`, `[ … ]`: the words between. */
export function testWords(shell: Shell, words: readonly Text[]): Truth {
  shell.spend(1);
  const [first, second, third] = words;
  if (first === undefined) return false;
  const at = (i: number) => plain(words[i] ?? []) ?? "";
  if (words.length === 1) return isNotEmpty(first);
  // Lowest first: `-o`, then `-a`.
  for (const [operator, stops] of [
    ["-o", true],
    ["-a", false],
  ] as const)
    for (let i = 1; i < words.length - 1; i++)
      if (at(i) === operator && words.length > 3) {
        const left = known(shell, testWords(shell, words.slice(0, i)));
        return left === stops ? left : testWords(shell, words.slice(i + 1));
      }
  if (at(0) === "!") return not(testWords(shell, words.slice(1)));
  if (words.length === 2 && second) {
    if (at(0) === "-v") return isSetVariable(shell, second);
    return unaryTest(shell, at(0), second);
  }
  if (words.length === 3 && second && third) {
    const operator = at(1);
    if (operator === "=" || operator === "==") return sameTexts(first, third);
    if (operator === "!=") return not(sameTexts(first, third));
    if (operator in NUMERIC) return compareNumbers(shell, operator, first, third, false);
    if (at(0) === "(" && at(2) === ")") return testWords(shell, [second]);
    return binaryTest(shell, operator, first, third);
  }
  if (at(0) === "(" && at(words.length - 1) === ")") return testWords(shell, words.slice(1, -1));
  // bash: too many arguments.
  return false;
}

const known = (shell: Shell, truth: Truth) => (isDoubt(truth) ? shell.ask(truth) : truth);

function isNotEmpty(value: Text): Truth {
  if (hasCharacters(value)) return true;
  if (plain(value) !== null) return false;
  return {
    question: `-n ${show(value)}`,
    assumed: likely(value) !== "",
    names: unknownsOf(value).flatMap(({ names }) => names),
  };
}

function isSetVariable(shell: Shell, name: Text): Truth {
  const known = plain(name);
  if (known === null) return { question: `-v ${show(name)}`, assumed: false, names: [] };
  const [, base = known, index] = /^(\w+)\[(.*)\]$/s.exec(known) ?? [];
  shell.variables.markRead(base);
  if (shell.variables.isOwn(base))
    return index === undefined || index === "@"
      ? shell.variables.isSet(base)
      : shell.variables.get(base, shell.indexOf(base, index)) !== undefined;
  return shell.isGivenOutside(base);
}

function unaryTest(shell: Shell, operator: string, value: Text): Truth {
  if (operator === "-n") return isNotEmpty(value);
  if (operator === "-z") return not(isNotEmpty(value));
  if (operator === "-t") return { question: "a terminal", assumed: false, names: [] };
  if (operator === "-o") return shell.options.has(plain(value) ?? "");
  if (!FILE_TESTS.has(operator)) return false;
  const path = plain(value);
  if (path === "") return false;
  if (path !== null && shell.files.has(path)) return true;
  return { question: `${operator} ${show(value)}`, assumed: false, names: [] };
}

function compareNumbers(
  shell: Shell,
  operator: string,
  left: Text,
  right: Text,
  isArithmetic: boolean,
): Truth {
  const numberOf = (text: Text, pick: (text: Text) => string | null) => {
    const word = pick(text)?.trim();
    if (word === undefined) return null;
    const number = /^[-+]?\d+$/.test(word) ? BigInt(word) : parseInteger(word);
    if (number !== null || !isArithmetic) return number;
    const value = shell.evaluateExpression(word, 0);
    return isInteger(value) ? value : null;
  };
  const [a, b] = [numberOf(left, plain), numberOf(right, plain)];
  const compare = NUMERIC[operator];
  if (a !== null && b !== null) return compare?.(a, b) ?? false;
  // `[ "" -eq 1 ]` is an error, which is false.
  if (plain(left) !== null && plain(right) !== null) return false;
  const [x, y] = [numberOf(left, likely), numberOf(right, likely)];
  return {
    question: `${show(left)} ${operator} ${show(right)}`,
    assumed: x !== null && y !== null && (compare?.(x, y) ?? false),
    names: [...unknownsOf(left), ...unknownsOf(right)].flatMap(({ names }) => names),
  };
}

function binaryTest(shell: Shell, operator: string, left: Text, right: Text): Truth {
  const [a, b] = [plain(left), plain(right)];
  if (operator === "<" && a !== null && b !== null) return a < b;
  if (operator === ">" && a !== null && b !== null) return a > b;
  if (!/^(?:<|>|-nt|-ot|-ef)$/.test(operator)) return false;
  shell.spend(1);
  return { question: `${show(left)} ${operator} ${show(right)}`, assumed: false, names: [] };
}

/** `a =~ b`. What the groups match is left unknown. */
function regexTest(shell: Shell, value: Text, pattern: Word): Truth {
  const chars = shell.pattern(pattern);
  const text = plain(value);
  const compiled = chars === null ? null : compileRegex(chars);
  const isMatch = text === null || compiled === null ? null : matches(compiled, text);
  if (isMatch === true) {
    const groups = ["0", "1", "2", "3"].map((group): [string, Text] => [
      group,
      unknownText({ source: `\${BASH_REMATCH[${group}]}`, names: [] }, value[0]?.at ?? 0),
    ]);
    shell.variables.assignList("BASH_REMATCH", new Map(groups), false);
  }
  return (
    isMatch ?? {
      question: `${show(value)} =~ ${pattern.text}`,
      assumed: false,
      names: unknownsOf(value).flatMap(({ names }) => names),
    }
  );
}
