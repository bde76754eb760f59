import type { AndOr, Case, CompoundList, If, Pipeline, SyntaxNode, While, Word } from "unbash";
import { isInteger } from "#launch/environment/bash/arithmetic.ts";
import {
  type Doubt,
  isDoubt,
  matchText,
  testExpression,
} from "#launch/environment/bash/conditions.ts";
import type { Shell } from "#launch/environment/bash/shell.ts";
import { DONE, failed, Jump, type Status } from "#launch/environment/bash/status.ts";
import {
  type Piece,
  plain,
  show,
  type Text,
  textOf,
  unknownsOf,
} from "#launch/environment/bash/text.ts";

/** Rounds of one loop. */
const MAX_ROUNDS = 2_000;

export function runCompound(shell: Shell, node: SyntaxNode): Status {
  shell.current = node;
  switch (node.type) {
    case "AndOr":
      return runAndOr(shell, node);
    case "Pipeline":
      return runPipeline(shell, node);
    case "If":
      return runIf(shell, node);
    case "For":
    case "Select":
      return runFor(shell, node.name, node.wordlist, node.body);
    case "ArithmeticFor":
      return runArithmeticFor(shell, node);
    case "While":
      return runWhile(shell, node);
    case "Case":
      return runCase(shell, node);
    case "Subshell":
      return checked(shell, shell.child().runAll(node.body.commands));
    case "BraceGroup":
      return shell.list(node.body);
    case "CompoundList":
      return shell.list(node);
    case "TestCommand": {
      const truth = testExpression(shell, node.expression);
      if (isDoubt(truth)) return shell.ask(truth, node) ? DONE : failed();
      return checked(shell, truth ? DONE : failed());
    }
    case "ArithmeticCommand": {
      const value = shell.arithmetic(node.expression);
      if (isInteger(value)) return checked(shell, value === 0n ? failed() : DONE);
      const { names, source: question } = value;
      return shell.ask({ question, assumed: false, names }, node) ? DONE : failed();
    }
    case "Redirected": {
      const restore = shell.redirect(node.redirects);
      try {
        return shell.node(node.command);
      } finally {
        restore();
      }
    }
    case "Function":
      shell.functions.set(node.name.value, { body: node.body, source: shell.source });
      return DONE;
    case "Coproc":
      shell.child().runAll([
        {
          type: "Statement",
          pos: node.pos,
          end: node.end,
          command: node.body as never,
          background: undefined,
        },
      ]);
      return DONE;
    default:
      return DONE;
  }
}

function checked(shell: Shell, status: Status): Status {
  shell.stopOnError(status);
  return status;
}

function runAndOr(shell: Shell, { commands, operators }: AndOr): Status {
  let status = DONE;
  let last = 0;
  let printed = 0;
  for (const [i, node] of commands.entries()) {
    if (i > 0) {
      const before = commands[last];
      const isGood = before === undefined || shell.succeeded(status, before);
      // A program that fails is taken to print nothing: `$(nproc || echo 8)`.
      if (!isGood && status.question !== null && shell.output) shell.output.length = printed;
      shell.status = isGood ? DONE : status.question === null ? status : failed();
      status = shell.status;
      if (isGood !== (operators[i - 1] === "&&")) continue;
    }
    last = i;
    printed = shell.output?.length ?? 0;
    const isFinal = i === commands.length - 1;
    status = isFinal ? shell.node(node) : shell.condition(() => shell.node(node));
    shell.status = status;
  }
  return status;
}

function runPipeline(shell: Shell, { commands, prefixes }: Pipeline): Status {
  const isNegated = prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
  const run = () =>
    commands.length === 1 && commands[0] ? shell.node(commands[0]) : pipe(shell, commands);
  if (!isNegated) return run();
  const status = shell.condition(run);
  const code = status.code === 0 ? 1 : 0;
  return { code, question: status.question === null ? null : `! ${status.question}` };
}

/** Each command runs in a subshell, on what the one before prints. */
function pipe(shell: Shell, commands: Pipeline["commands"]): Status {
  let input = shell.input;
  const statuses: Status[] = [];
  for (const [i, command] of commands.entries()) {
    const isLast = i === commands.length - 1;
    const part = shell.child();
    part.input = input;
    const printed: Piece[] = [];
    if (!isLast) part.output = printed;
    part.ignoringErrors = 1;
    statuses.push(part.runAll([asStatement(command)]));
    input = { rest: printed };
  }
  const bad = shell.options.has("pipefail")
    ? statuses.filter(({ code, question }) => question === null && code !== 0)
    : [];
  return checked(shell, bad.at(-1) ?? statuses.at(-1) ?? DONE);
}

const asStatement = (command: Pipeline["commands"][number]) => ({
  type: "Statement" as const,
  pos: command.pos,
  end: command.end,
  command,
  background: undefined,
});

function runIf(shell: Shell, node: If): Status {
  for (const branch of [node, ...node.elif]) {
    const status = shell.condition(() => shell.list(branch.clause));
    if (shell.succeeded(status, conditionOf(branch.clause))) return shell.list(branch.then);
  }
  return node.else ? shell.list(node.else) : DONE;
}

/** The whole clause, as people read it. */
const conditionOf = (clause: CompoundList): SyntaxNode => clause.commands.at(-1)?.command ?? clause;

function runFor(
  shell: Shell,
  name: Word,
  words: readonly Word[] | undefined,
  body: CompoundList,
): Status {
  const items = words === undefined ? shell.argumentList() : shell.fields(words);
  let status = DONE;
  for (const item of items.slice(0, MAX_ROUNDS)) {
    shell.variables.assign(name.value, item);
    const round = runBody(shell, body);
    if (round === null) break;
    status = round;
  }
  return status;
}

function runArithmeticFor(
  shell: Shell,
  node: Extract<SyntaxNode, { type: "ArithmeticFor" }>,
): Status {
  shell.arithmetic(node.initialize);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const test = node.test === undefined ? 1n : shell.arithmetic(node.test);
    if (!isInteger(test)) {
      // How often is not known: the first round shows what it does.
      if (round > 0) break;
    } else if (test === 0n) break;
    if (runBody(shell, node.body) === null) break;
    shell.arithmetic(node.update);
  }
  return DONE;
}

function runWhile(shell: Shell, node: While): Status {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const status = shell.condition(() => shell.list(node.clause));
    // Waiting for something outside: it comes at once.
    if (status.question !== null) break;
    if ((status.code === 0) !== (node.kind === "while")) break;
    if (runBody(shell, node.body) === null) break;
  }
  return DONE;
}

/** One round; null: the loop ends. */
function runBody(shell: Shell, body: CompoundList): Status | null {
  try {
    return shell.list(body);
  } catch (error) {
    if (!(error instanceof Jump) || (error.kind !== "break" && error.kind !== "continue"))
      throw error;
    if (error.value > 1) throw new Jump(error.kind, error.value - 1);
    return error.kind === "continue" ? DONE : null;
  }
}

function runCase(shell: Shell, node: Case): Status {
  const value = shell.expand(node.word);
  const start =
    plain(value) === null ? chooseItem(shell, node, value) : firstItem(shell, node, value);
  if (start === -1) return DONE;
  let status = DONE;
  for (let i = start; i < node.items.length; i++) {
    const item = node.items[i];
    if (!item) break;
    status = shell.list(item.body);
    if (item.terminator === ";&") continue;
    if (item.terminator !== ";;&") break;
    const next = node.items.findIndex(
      (each, at) => at > i && matchesItem(shell, value, each.pattern),
    );
    if (next === -1) break;
    i = next - 1;
  }
  return status;
}

const firstItem = (shell: Shell, { items }: Case, value: Text) =>
  items.findIndex(({ pattern }) => matchesItem(shell, value, pattern));

function matchesItem(shell: Shell, value: Text, patterns: readonly Word[]): boolean {
  return patterns.some((pattern) => {
    const truth = matchText(shell, value, pattern);
    return isDoubt(truth) ? shell.ask(truth, pattern) : truth;
  });
}

/** The branch of a `case` whose word is unknown: one question, with the branches that are possible. */
function chooseItem(shell: Shell, node: Case, unknown: Text): number {
  const value = settled(shell, unknown);
  const options: { index: number; label: string; isLikely: boolean; equals?: Doubt["equals"] }[] =
    [];
  let isSure = false;
  for (const [index, { pattern }] of node.items.entries()) {
    const truths = pattern.map((each) => matchText(shell, value, each));
    if (truths.every((truth) => truth === false)) continue;
    const label = pattern.map(({ text }) => text).join(" | ");
    isSure = truths.includes(true);
    const [only] = truths;
    const equals = truths.length === 1 && only && isDoubt(only) ? only.equals : undefined;
    const isLikely = isSure || truths.some((truth) => isDoubt(truth) && truth.assumed);
    options.push({ index, label, isLikely, equals });
    if (isSure) break;
  }
  if (!isSure) options.push({ index: -1, label: "none of them", isLikely: true });
  const [only] = options;
  if (options.length === 1 && only) return only.index;
  const names = unknownsOf(value).flatMap((each) => each.names);
  const assumed = options.findIndex(({ isLikely }) => isLikely);
  const labels = options.map(({ label }) => label);
  const question = `case ${show(value)} in ${labels.join(") ")}`;
  const taken = options[shell.decide(node.word, question, labels, assumed, names)];
  if (taken?.equals) shell.choices.known.set(taken.equals.source, taken.equals.value);
  return taken?.index ?? -1;
}

/** An unknown that an earlier answer has made known. */
const settled = (shell: Shell, value: Text): Text =>
  value.flatMap((piece): Piece[] => {
    const known = "unknown" in piece ? shell.choices.known.get(piece.unknown.source) : undefined;
    return known === undefined ? [piece] : [...textOf(known, piece.at)];
  });
